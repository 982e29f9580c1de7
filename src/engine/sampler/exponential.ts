/**
 * A fast e^x for x <= 0, for the sampler's passes over a whole vocabulary. Called by the candidate
 * filter and the raw log-probabilities. Pure; the relative error is below 1e-14.
 */

const STEPS = 2048;
const FRACTIONS = Float64Array.from({ length: STEPS }, (_, step) => 2 ** (-step / STEPS));
const POWERS = Float64Array.from({ length: 1100 }, (_, power) => 2 ** -power);
const STEPS_PER_NAT = STEPS / Math.LN2;
const NATS_PER_STEP = Math.LN2 / STEPS;

/** Below this, e^x is so small beside 1 that it counts as nothing (2^-80). */
const NEGLIGIBLE = -80 * Math.LN2;

/**
 * e^x for x <= 0; exactly 0 below -80 ln 2, also for -Infinity. x = -n ln2/2048 + r with r in
 * (-ln2/2048, 0]: two table look-ups give the first part, the Taylor series to r^3 the second.
 */
export function exponential(x: number): number {
  if (!(x >= NEGLIGIBLE)) return 0;
  const n = (-x * STEPS_PER_NAT) | 0;
  const r = x + n * NATS_PER_STEP;
  const whole = (POWERS[n >>> 11] ?? 0) * (FRACTIONS[n & (STEPS - 1)] ?? 0);
  return whole * (1 + r * (1 + r * (0.5 + r * (1 / 6))));
}
