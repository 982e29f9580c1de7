/**
 * Starts what the first request of its kind would have to wait for, once a model is ready and nobody asks
 * anything of it. The runtime `embedded` makes one for each engine.
 */

import type { Load } from './runtime.ts';

/** Milliseconds between two looks at the load. */
const pauseMs = 1000;
/** Looks in a row that found nothing to do. A first request that is about to come is not held up then. */
const quietLooks = 30;

/** @returns what ends the waiting */
export function warmWhenQuiet(load: () => Load, warm: () => void): () => void {
  let quiet = 0;
  const timer = setInterval(() => {
    const { running, waiting } = load();
    quiet = running + waiting > 0 ? 0 : quiet + 1;
    if (quiet < quietLooks) return;
    clearInterval(timer);
    warm();
  }, pauseMs);
  timer.unref();
  return () => clearInterval(timer);
}
