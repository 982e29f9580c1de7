/**
 * A map that forgets: the least recently used entry goes first when there are too many, or they are too
 * large in all, and an entry goes when it is too old. Remote files and the texts read from files are kept in such.
 */

export interface BoundedCache<V> {
  get(key: string): V | undefined;
  /** @param size in whatever unit `maxSize` counts; larger than that, the value is not kept */
  set(key: string, value: V, size: number): void;
}

export interface CacheBounds {
  readonly maxEntries: number;
  /** Sum of the sizes. */
  readonly maxSize: number;
  /** Milliseconds for which an entry is good. */
  readonly maxAge: number;
  readonly now?: () => number;
}

interface Entry<V> {
  readonly value: V;
  readonly size: number;
  readonly until: number;
}

export function createBoundedCache<V>(bounds: CacheBounds): BoundedCache<V> {
  const { maxEntries, maxSize, maxAge, now = () => performance.now() } = bounds;
  // A Map lists its entries in the order of insertion: the first is the least recently used.
  const entries = new Map<string, Entry<V>>();
  let total = 0;

  const drop = (key: string): void => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    total -= entry.size;
    entries.delete(key);
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      if (entry.until > now()) return entry.value;
      drop(key);
      return undefined;
    },
    set(key, value, size) {
      drop(key);
      if (size > maxSize) return;
      entries.set(key, { value, size, until: now() + maxAge });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= maxSize && entries.size <= maxEntries) return;
        drop(oldest);
      }
    },
  };
}
