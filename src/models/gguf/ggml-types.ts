/**
 * The two number tables of the GGUF format: tensor types (how many bytes a block of weights takes)
 * and file types (the name of a file's quantisation). Data only; the reader looks things up here.
 * A type that is missing is not an error: its tensors cannot be measured, nothing more.
 */

export interface GgmlType {
  readonly name: string;
  /** Weights in one block. */
  readonly blockWeights: number;
  /** Bytes of one block. */
  readonly blockBytes: number;
}

const row = (name: string, blockWeights: number, blockBytes: number): GgmlType => ({
  name,
  blockWeights,
  blockBytes,
});

/** By the type number of a tensor info; numbers of removed types (4, 5, 31-33, 36-38) have no row. */
export const ggmlTypes: ReadonlyMap<number, GgmlType> = new Map([
  [0, row('F32', 1, 4)],
  [1, row('F16', 1, 2)],
  [2, row('Q4_0', 32, 18)],
  [3, row('Q4_1', 32, 20)],
  [6, row('Q5_0', 32, 22)],
  [7, row('Q5_1', 32, 24)],
  [8, row('Q8_0', 32, 34)],
  [9, row('Q8_1', 32, 40)],
  [10, row('Q2_K', 256, 84)],
  [11, row('Q3_K', 256, 110)],
  [12, row('Q4_K', 256, 144)],
  [13, row('Q5_K', 256, 176)],
  [14, row('Q6_K', 256, 210)],
  [15, row('Q8_K', 256, 292)],
  [16, row('IQ2_XXS', 256, 66)],
  [17, row('IQ2_XS', 256, 74)],
  [18, row('IQ3_XXS', 256, 98)],
  [19, row('IQ1_S', 256, 50)],
  [20, row('IQ4_NL', 32, 18)],
  [21, row('IQ3_S', 256, 110)],
  [22, row('IQ2_S', 256, 82)],
  [23, row('IQ4_XS', 256, 136)],
  [24, row('I8', 1, 1)],
  [25, row('I16', 1, 2)],
  [26, row('I32', 1, 4)],
  [27, row('I64', 1, 8)],
  [28, row('F64', 1, 8)],
  [29, row('IQ1_M', 256, 56)],
  [30, row('BF16', 1, 2)],
  [34, row('TQ1_0', 256, 54)],
  [35, row('TQ2_0', 256, 66)],
  [39, row('MXFP4', 32, 17)],
  [40, row('NVFP4', 64, 36)],
  [41, row('Q1_0', 128, 18)],
]);

/** By `general.file_type`, the names that llama.cpp prints. */
export const fileTypeNames: ReadonlyMap<number, string> = new Map([
  [0, 'F32'],
  [1, 'F16'],
  [2, 'Q4_0'],
  [3, 'Q4_1'],
  [7, 'Q8_0'],
  [8, 'Q5_0'],
  [9, 'Q5_1'],
  [10, 'Q2_K'],
  [11, 'Q3_K_S'],
  [12, 'Q3_K_M'],
  [13, 'Q3_K_L'],
  [14, 'Q4_K_S'],
  [15, 'Q4_K_M'],
  [16, 'Q5_K_S'],
  [17, 'Q5_K_M'],
  [18, 'Q6_K'],
  [19, 'IQ2_XXS'],
  [20, 'IQ2_XS'],
  [21, 'Q2_K_S'],
  [22, 'IQ3_XS'],
  [23, 'IQ3_XXS'],
  [24, 'IQ1_S'],
  [25, 'IQ4_NL'],
  [26, 'IQ3_S'],
  [27, 'IQ3_M'],
  [28, 'IQ2_S'],
  [29, 'IQ2_M'],
  [30, 'IQ4_XS'],
  [31, 'IQ1_M'],
  [32, 'BF16'],
  [36, 'TQ1_0'],
  [37, 'TQ2_0'],
  [38, 'MXFP4_MOE'],
  [39, 'NVFP4'],
  [40, 'Q1_0'],
]);
