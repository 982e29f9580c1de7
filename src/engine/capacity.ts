/**
 * How many slots a model gets, how long their context is, and what the KV cache then costs. Pure:
 * the engine's entry calls it once after the weights are open; `free-memory.ts` reads the machine.
 */

/** The numbers of a model that decide the size of its KV cache. */
export interface ModelShape {
  readonly layers: number;
  readonly kvHeads: number;
  /** Elements of one head's key and value. */
  readonly keyLength: number;
  readonly valueLength: number;
  readonly trainedContext: number;
}

export interface CapacityRequest {
  readonly shape: ModelShape;
  /** Memory that may still be taken on this machine. */
  readonly freeBytes: number;
  /** Asked for by the user; null = choose. */
  readonly slots: number | null;
  readonly context: number | null;
  /** The most sequences that the library keeps apart. */
  readonly maxSlots: number;
}

export type KvType = 'q8_0' | 'f16';

export type Capacity =
  | {
      readonly fits: true;
      readonly slots: number;
      readonly context: number;
      readonly kvType: KvType;
      readonly kvBytes: number;
    }
  | { readonly fits: false; readonly message: string };

const wantedSlots = 8;
const comfortableContext = 4096;
const smallestContext = 512;
/** libllama rounds a slot's context up to a multiple of this. */
const contextStep = 256;
/** Share of the free memory that we take unasked, and the most that we take when asked. */
const shareUnasked = 0.5;
const shareAsked = 0.9;
const q8Block = 32;
const q8BytesPerBlock = 34;

/** Tokens that the library reserves for a slot of so many. */
export const reservedContext = (context: number): number =>
  Math.ceil(context / contextStep) * contextStep;

/** Q8_0 stores blocks of 32 elements, so it needs head sizes that are multiples of 32. */
export function chooseKvType(shape: ModelShape): KvType {
  return shape.keyLength % q8Block === 0 && shape.valueLength % q8Block === 0 ? 'q8_0' : 'f16';
}

/** Bytes that one token takes in the KV cache, over all layers. */
export function kvBytesPerToken(shape: ModelShape, kvType: KvType): number {
  const elements = shape.layers * shape.kvHeads * (shape.keyLength + shape.valueLength);
  return kvType === 'q8_0' ? (elements * q8BytesPerBlock) / q8Block : elements * 2;
}

/**
 * Slots and context for a model. Unasked it takes at most half of the free memory: 8 slots of the
 * trained context, then a shorter context (down to 4,096), then fewer slots. What the user asked for
 * is kept as it is, or refused with the sums.
 */
export function planCapacity(
  request: CapacityRequest,
  kvType = chooseKvType(request.shape),
): Capacity {
  const problem = findImpossibleOption(request);
  if (problem !== null) return { fits: false, message: problem };
  const perToken = kvBytesPerToken(request.shape, kvType);
  const trained = request.shape.trainedContext;
  const fitting = (slots: number): number => {
    const tokens = (request.freeBytes * shareUnasked) / (slots * perToken);
    return Math.min(trained, Math.floor(tokens / contextStep) * contextStep);
  };
  const take = (slots: number, context: number): Capacity => {
    const reserved = reservedContext(context);
    return { fits: true, slots, context, kvType, kvBytes: slots * reserved * perToken };
  };

  if (request.context !== null) {
    const bytes = reservedContext(request.context) * perToken;
    const unasked = Math.floor((request.freeBytes * shareUnasked) / bytes);
    const slots = request.slots ?? Math.min(Math.max(unasked, 1), wantedSlots, request.maxSlots);
    if (slots * bytes <= request.freeBytes * shareAsked) return take(slots, request.context);
    return refuse(request, slots, request.context, perToken);
  }
  const least = Math.min(comfortableContext, trained);
  for (let slots = request.slots ?? wantedSlots; slots >= 1; slots -= 1) {
    const context = fitting(slots);
    const floor =
      slots === 1 || request.slots !== null ? Math.min(smallestContext, trained) : least;
    if (context >= floor) return take(slots, context);
    if (request.slots !== null) break;
  }
  return refuse(request, request.slots ?? 1, Math.min(smallestContext, trained), perToken);
}

function findImpossibleOption({ slots, context, maxSlots, shape }: CapacityRequest): string | null {
  if (slots !== null && (slots < 1 || slots > maxSlots)) {
    return `slots: ${slots} is outside 1..${maxSlots}.`;
  }
  if (context !== null && context < 1) return `context: ${context} is less than 1 token.`;
  if (context !== null && context > shape.trainedContext) {
    return (
      `context: ${context} tokens is beyond the ${shape.trainedContext} that this model was ` +
      `trained for; ask for ${shape.trainedContext} or fewer.`
    );
  }
  return null;
}

function refuse(
  request: CapacityRequest,
  slots: number,
  context: number,
  perToken: number,
): Capacity {
  const reserved = reservedContext(context);
  const most = Math.floor((request.freeBytes * shareAsked) / perToken / contextStep) * contextStep;
  return {
    fits: false,
    message:
      `${slots} ${slots === 1 ? 'slot' : 'slots'} of ${context} tokens need ` +
      `${toMegabytes(slots * reserved * perToken)} for the KV cache (${Math.round(perToken)} bytes a token), ` +
      `and ${toMegabytes(request.freeBytes)} of memory are free, of which at most 90% are taken. ` +
      `All slots together could hold ${Math.max(most, 0)} tokens here: ask for fewer slots or a shorter context.`,
  };
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
