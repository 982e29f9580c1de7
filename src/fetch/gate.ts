/**
 * A gate that lets so many in at a time; the others wait in their order, or leave when their signal says
 * so. It bounds what fetching takes of memory and sockets.
 */

export interface Gate {
  /** @throws the signal's reason, and then no place is taken */
  enter(signal: AbortSignal): Promise<void>;
  /** Gives back the place of one `enter`. */
  leave(): void;
}

export function createGate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];
  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free--;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const stop = (): void => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(signal.reason);
        };
        const go = (): void => {
          signal.removeEventListener('abort', stop);
          resolve();
        };
        waiting.push(go);
        signal.addEventListener('abort', stop, { once: true });
      });
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    },
  };
}
