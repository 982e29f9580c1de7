/** Comparing the beginnings of token runs. Pure. */

/** How many tokens both begin with, at most `limit`. */
export function commonBeginning(
  one: ArrayLike<number>,
  other: ArrayLike<number>,
  limit: number,
): number {
  const end = Math.min(limit, one.length, other.length);
  let length = 0;
  while (length < end && one[length] === other[length]) length += 1;
  return length;
}
