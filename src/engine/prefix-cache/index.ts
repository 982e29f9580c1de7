/** The prefix cache's contract: what the scheduler may use of this folder. */

export { PrefixCache } from './prefix-cache.ts';
export type { PrefixCacheOptions, PrefixCacheStats } from './prefix-cache.ts';
export { createPrefixDisk } from './prefix-disk.ts';
export type { PrefixDisk, PrefixDiskOptions } from './prefix-disk.ts';
