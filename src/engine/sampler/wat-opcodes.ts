/**
 * The WebAssembly instructions that the kernels use and their encodings, from the WebAssembly Core
 * Specification 2.0, section 5.4. A data table for `assemble-wat.ts`; an instruction that is not here
 * is added with its number from there.
 */

/** What follows an instruction's code: nothing, a memory argument, or the number of a lane. */
export type Immediate = 'none' | 'memory' | 'lane';

export interface Instruction {
  readonly code: readonly number[];
  readonly immediate: Immediate;
  /** For memory arguments: the alignment, as a power of two, that the access has by nature. */
  readonly alignment: number;
}

/** Name, code, and the natural alignment of loads and stores. */
const scalar: readonly (readonly [name: string, code: number, alignment?: number])[] = [
  ['i32.load', 0x28, 2],
  ['f32.load', 0x2a, 2],
  ['f64.load', 0x2b, 3],
  ['i32.store', 0x36, 2],
  ['f32.store', 0x38, 2],
  ['f64.store', 0x39, 3],
  ['return', 0x0f],
  ['drop', 0x1a],
  ['select', 0x1b],
  ['i32.eqz', 0x45],
  ['i32.eq', 0x46],
  ['i32.lt_u', 0x49],
  ['i32.gt_s', 0x4a],
  ['i32.gt_u', 0x4b],
  ['i32.le_s', 0x4c],
  ['i32.le_u', 0x4d],
  ['i32.ge_u', 0x4f],
  ['f32.eq', 0x5b],
  ['f32.gt', 0x5e],
  ['f32.ge', 0x60],
  ['f64.lt', 0x63],
  ['f64.gt', 0x64],
  ['f64.ge', 0x66],
  ['i32.popcnt', 0x69],
  ['i32.add', 0x6a],
  ['i32.sub', 0x6b],
  ['i32.and', 0x71],
  ['i32.or', 0x72],
  ['i32.shl', 0x74],
  ['i32.shr_u', 0x76],
  ['f64.add', 0xa0],
  ['f64.sub', 0xa1],
  ['f64.mul', 0xa2],
  ['f64.promote_f32', 0xbb],
];

const simdMemory: readonly (readonly [name: string, code: number, alignment: number])[] = [
  ['v128.load', 0, 4],
  ['v128.store', 11, 4],
  ['v128.load64_zero', 93, 3],
];

const simdLanes: readonly (readonly [name: string, code: number])[] = [
  ['i32x4.extract_lane', 27],
  ['f32x4.extract_lane', 31],
  ['f64x2.extract_lane', 33],
  ['f64x2.replace_lane', 34],
];

const simd: readonly (readonly [name: string, code: number])[] = [
  ['i8x16.swizzle', 14],
  ['i32x4.splat', 17],
  ['f32x4.splat', 19],
  ['f64x2.splat', 20],
  ['i32x4.eq', 55],
  ['i32x4.le_s', 61],
  ['f32x4.eq', 65],
  ['f32x4.gt', 68],
  ['f32x4.ge', 70],
  ['f64x2.ge', 76],
  ['v128.and', 78],
  ['v128.or', 80],
  ['f64x2.promote_low_f32x4', 95],
  ['i32x4.all_true', 163],
  ['i32x4.bitmask', 164],
  ['i32x4.add', 174],
  ['i32x4.min_s', 182],
  ['i64x2.bitmask', 196],
  ['i64x2.shl', 203],
  ['i64x2.add', 206],
  ['f32x4.pmin', 234],
  ['f32x4.pmax', 235],
  ['f64x2.add', 240],
  ['f64x2.sub', 241],
  ['f64x2.mul', 242],
  ['f64x2.pmax', 247],
  ['i32x4.trunc_sat_f64x2_s_zero', 252],
];

const SIMD_PREFIX = 0xfd;
const SATURATING_PREFIX = 0xfc;

/** A number in LEB128; at most two bytes are needed for any code here. */
const leb = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, value >>> 7];

export const instructions: ReadonlyMap<string, Instruction> = new Map<string, Instruction>([
  ...scalar.map(([name, code, alignment]): [string, Instruction] => [
    name,
    {
      code: [code],
      immediate: alignment === undefined ? 'none' : 'memory',
      alignment: alignment ?? 0,
    },
  ]),
  ...simdMemory.map(([name, code, alignment]): [string, Instruction] => [
    name,
    { code: [SIMD_PREFIX, ...leb(code)], immediate: 'memory', alignment },
  ]),
  ...simdLanes.map(([name, code]): [string, Instruction] => [
    name,
    { code: [SIMD_PREFIX, ...leb(code)], immediate: 'lane', alignment: 0 },
  ]),
  ...simd.map(([name, code]): [string, Instruction] => [
    name,
    { code: [SIMD_PREFIX, ...leb(code)], immediate: 'none', alignment: 0 },
  ]),
  ['i32.trunc_sat_f64_s', { code: [SATURATING_PREFIX, 2], immediate: 'none', alignment: 0 }],
]);

export const valueTypes: ReadonlyMap<string, number> = new Map([
  ['i32', 0x7f],
  ['f32', 0x7d],
  ['f64', 0x7c],
  ['v128', 0x7b],
]);
