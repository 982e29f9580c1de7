/**
 * Checks an adapter's file before the library sees it. `adapters.ts` calls it.
 */

export function checkAdapterFile(_path: string): void {}
