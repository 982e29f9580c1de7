/** Waits for something that another process does: asks again and again, and gives up with a reason. */

const pauseMs = 20;

/**
 * @param look gives what was waited for, or null, undefined or false for "not yet"
 * @param what completes the sentence "waited in vain for …"
 */
export async function waitUntil<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 20_000,
): Promise<NonNullable<T>> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** The promise's value, or an error once the time is over. */
export async function within<T>(what: string, promise: Promise<T>, ms = 20_000): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
