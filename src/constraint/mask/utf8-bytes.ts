/**
 * Which bytes may follow in a character of well-formed UTF-8. What a begun character waits for is one
 * number: the lowest and highest next byte, and how many follow that one; 0 stands for nothing. Pure.
 */

export const isLead = (byte: number): boolean => byte >= 0xc2 && byte <= 0xf4;

/** What a lead byte waits for. */
export function afterLead(byte: number): number {
  if (byte < 0xe0) return pack(0x80, 0xbf, 0);
  if (byte < 0xf0) return pack(byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf, 1);
  return pack(byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf, 2);
}

/** After one more byte; 0: the character is whole. -1: this byte cannot follow. */
export function afterMore(need: number, byte: number): number {
  if (byte < (need & 0xff) || byte > ((need >> 8) & 0xff)) return -1;
  const more = (need >> 16) & 0xff;
  return more === 0 ? 0 : pack(0x80, 0xbf, more - 1);
}

const pack = (low: number, high: number, more: number): number =>
  (1 << 24) | (more << 16) | (high << 8) | low;
