/** Runs work for many items, several at a time, so that a server's slots are all in use. */

/** The first failure ends it, once what had begun is over. */
export async function inCompany<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 8,
): Promise<void> {
  const left = [...items];
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
        left.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
