/**
 * Starts what the first request of its kind would have to wait for, once a model is ready and nobody asks
 * anything of it. The runtime `embedded` makes one for each engine.
 */

import type { Load } from './runtime.ts';

/** Milliseconds between two looks at the load. */
const pauseMs = 1000;

/** @returns what ends the waiting */
export function warmWhenQuiet(load: () => Load, warm: () => void): () => void {
  const timer = setInterval(() => {
    const { running, waiting } = load();
    if (running + waiting > 0) return;
    clearInterval(timer);
    warm();
  }, pauseMs);
  timer.unref();
  return () => clearInterval(timer);
}
