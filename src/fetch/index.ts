/** The one way to remote files: data URLs always, https where it is switched on, never a private address. */

export { createBoundedCache, type BoundedCache } from './bounded-cache.ts';
export { createFetcher } from './create-fetcher.ts';
export type { Fetched, Fetcher, FetcherOptions, FetchWish } from './create-fetcher.ts';
export { readBase64 } from './data-url.ts';
