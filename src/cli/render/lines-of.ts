/** Lines of a stream as they come, whatever its chunks are. */

import { StringDecoder } from 'node:string_decoder';

/** @param input chunks of bytes or text; the end of the last line may lack its newline */
export async function* linesOf(input: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  /** The parts of a line that has not ended. */
  let parts: string[] = [];
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk as Uint8Array);
    const [first = '', ...rest] = text.split('\n');
    parts.push(first);
    for (const next of rest) {
      yield parts.join('');
      parts = [next];
    }
  }
  parts.push(decoder.end());
  const last = parts.join('');
  if (last !== '') yield last;
}
