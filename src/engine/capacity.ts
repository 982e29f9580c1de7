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

/** What a model remembers of a sequence, in bytes. */
export interface KvCost {
  /** Of one token, in the layers that see all tokens. */
  readonly perToken: number;
  /** Layers that see only the last `tokens`: of one token in all of them together. */
  readonly window: { readonly tokens: number; readonly perToken: number } | null;
  /** Of a sequence however long, in recurrent layers. */
  readonly perSlot: number;
}

export interface CapacityRequest {
  readonly shape: ModelShape;
  /** As measured; otherwise what follows from `shape` for a model whose layers are all alike. */
  readonly cost?: KvCost;
  /** Memory that may still be taken on this machine. */
  readonly freeBytes: number;
  /** Asked for by the user; null = choose. */
  readonly slots: number | null;
  readonly context: number | null;
  /** The most sequences that the library keeps apart. */
  readonly maxSlots: number;
}

/** Types of K and V; the first one is the one whose results do not depend on the load. */
export type KvType = 'q8_0/f16' | 'f16/f16';

export type Capacity =
  | {
      readonly fits: true;
      readonly slots: number;
      readonly context: number;
      readonly kvType: KvType;
      readonly kvBytes: number;
      /** Layers with a window keep all tokens, so that a prefix can be used again. */
      readonly keepWholeWindow: boolean;
    }
  | { readonly fits: false; readonly message: string };

const wantedSlots = 8;
const comfortableContext = 4096;
const smallestContext = 512;
/** libllama rounds a slot's context up to a multiple of this. */
const contextStep = 256;
/** Tokens that a pass may add to a window before the oldest are given up. */
const widestPass = 512;
/** Share of the free memory that we take unasked, and the most that we take when asked. */
const shareUnasked = 0.5;
const shareAsked = 0.9;
const q8Block = 32;
const q8BytesPerBlock = 34;

/** Tokens that the library reserves for a slot of so many. */
export const reservedContext = (context: number): number =>
  Math.ceil(context / contextStep) * contextStep;

/** Q8_0 stores blocks of 32 elements, so it needs keys whose size is a multiple of 32. */
export function chooseKvType(shape: ModelShape): KvType {
  return shape.keyLength % q8Block === 0 ? 'q8_0/f16' : 'f16/f16';
}

/** Bytes that one token takes in the KV cache, over all layers. */
export function kvBytesPerToken(shape: ModelShape, kvType: KvType): number {
  const keyBytes =
    kvType === 'q8_0/f16' ? (shape.keyLength * q8BytesPerBlock) / q8Block : 2 * shape.keyLength;
  return shape.layers * shape.kvHeads * (keyBytes + 2 * shape.valueLength);
}

/** What follows from the shape of a model whose layers are all alike. */
export function costOf(shape: ModelShape, kvType: KvType): KvCost {
  return { perToken: kvBytesPerToken(shape, kvType), window: null, perSlot: 0 };
}

/**
 * Slots and context for a model. Unasked it takes at most half of the free memory: 8 slots of the
 * trained context, then a shorter context (down to 4,096), then fewer slots. What the user asked for
 * is kept as it is, or refused with the sums. Layers with a window keep all tokens where that costs
 * neither a slot nor the user's context, nor makes the context shorter than 4,096.
 */
export function planCapacity(
  request: CapacityRequest,
  kvType = chooseKvType(request.shape),
): Capacity {
  const cost = request.cost ?? costOf(request.shape, kvType);
  const whole = planWith({ ...request, kvType, cost, keepWholeWindow: true });
  if (cost.window === null) return whole;
  const windowed = planWith({ ...request, kvType, cost, keepWholeWindow: false });
  if (!whole.fits || !windowed.fits) return windowed.fits ? windowed : whole;
  const enough = Math.min(comfortableContext, windowed.context);
  return whole.slots >= windowed.slots && whole.context >= enough ? whole : windowed;
}

interface Plan extends CapacityRequest {
  readonly kvType: KvType;
  readonly cost: KvCost;
  readonly keepWholeWindow: boolean;
}

function planWith(request: Plan): Capacity {
  const problem = findImpossibleOption(request);
  if (problem !== null) return { fits: false, message: problem };
  const trained = request.shape.trainedContext;
  const fitting = (slots: number): number =>
    Math.min(trained, contextWithin(request, (request.freeBytes * shareUnasked) / slots));
  const take = (slots: number, context: number): Capacity => ({
    fits: true,
    slots,
    context,
    kvType: request.kvType,
    kvBytes: slots * slotBytes(request, context),
    keepWholeWindow: request.keepWholeWindow,
  });

  if (request.context !== null) {
    const bytes = slotBytes(request, request.context);
    const unasked = Math.floor((request.freeBytes * shareUnasked) / bytes);
    const slots = request.slots ?? Math.min(Math.max(unasked, 1), wantedSlots, request.maxSlots);
    if (slots * bytes <= request.freeBytes * shareAsked) return take(slots, request.context);
    return refuse(request, slots, request.context);
  }
  const least = Math.min(comfortableContext, trained);
  for (let slots = request.slots ?? wantedSlots; slots >= 1; slots -= 1) {
    const context = fitting(slots);
    const floor =
      slots === 1 || request.slots !== null ? Math.min(smallestContext, trained) : least;
    if (context >= floor) return take(slots, context);
    if (request.slots !== null) break;
  }
  return refuse(request, request.slots ?? 1, Math.min(smallestContext, trained));
}

/** Tokens that the layers with a window keep of a sequence, however long it is. */
const windowCells = (tokens: number): number => reservedContext(tokens + widestPass);

/** Bytes of one slot. */
function slotBytes({ cost, keepWholeWindow }: Plan, context: number): number {
  const reserved = reservedContext(context);
  const { perToken, window, perSlot } = cost;
  if (window === null) return perSlot + reserved * perToken;
  const cells = keepWholeWindow ? reserved : Math.min(reserved, windowCells(window.tokens));
  return perSlot + reserved * perToken + cells * window.perToken;
}

/** The longest context of a slot of so many bytes, in whole steps; at least 0. */
function contextWithin({ cost, keepWholeWindow }: Plan, bytes: number): number {
  const { perToken, window, perSlot } = cost;
  const left = Math.max(0, bytes - perSlot);
  const steps = (tokens: number): number =>
    tokens === Infinity ? tokens : Math.floor(tokens / contextStep) * contextStep;
  const perTokenInAll = perToken + (window?.perToken ?? 0);
  const inAll = steps(perTokenInAll === 0 && left > 0 ? Infinity : left / perTokenInAll);
  if (window === null || keepWholeWindow || inAll <= windowCells(window.tokens)) return inAll;
  return steps((left - windowCells(window.tokens) * window.perToken) / perToken);
}

function findImpossibleOption({ slots, context, maxSlots, shape }: Plan): string | null {
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

function refuse(request: Plan, slots: number, context: number): Capacity {
  const bytes = slotBytes(request, context);
  const most = contextWithin(request, request.freeBytes * shareAsked);
  return {
    fits: false,
    message:
      `${slots} ${slots === 1 ? 'slot' : 'slots'} of ${context} tokens need ` +
      `${toMegabytes(slots * bytes)} for the KV cache (${Math.round(bytes / reservedContext(context))} bytes a token), ` +
      `and ${toMegabytes(request.freeBytes)} of memory are free, of which at most 90% are taken. ` +
      `All slots together could hold ${most === Infinity ? 'no more sequences' : `${most} tokens`} here: ask for fewer slots or a shorter context.`,
  };
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
