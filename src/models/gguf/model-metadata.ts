/**
 * What a GGUF file says about the model in it, in our own names. Everybody who must know a model
 * before it is loaded (the CLI, deployments, templates) comes here through the room's index.
 * A file that cannot be served ends as `invalid_model_file`, never as a crash of the engine.
 */

import { open, type FileHandle } from 'node:fs/promises';

import { ParlanceError } from '../../contract/index.ts';
import { FileWindow, PastEnd } from './file-window.ts';
import { fileTypeNames, ggmlTypes } from './ggml-types.ts';
import { GgufDefect, readHeader, type GgufHeader } from './gguf-header.ts';
import { count, flag, isKeptArray, isLongArray, text } from './header-values.ts';
import {
  readNamedTokens,
  readSpecialTexts,
  type NamedTokens,
  type SpecialToken,
} from './vocabulary.ts';

export interface TokenizerMetadata {
  /** `gpt2`, `llama`, … as the file names it. */
  readonly model: string | null;
  readonly pre: string | null;
  readonly bos: SpecialToken | null;
  readonly eos: SpecialToken | null;
  readonly eot: SpecialToken | null;
  readonly eom: SpecialToken | null;
  readonly pad: SpecialToken | null;
  readonly unknown: SpecialToken | null;
  /** null: the file does not say, so the tokenizer's own default holds. */
  readonly addBos: boolean | null;
  readonly addEos: boolean | null;
  /**
   * Texts of the tokens that stand for no text. Only of a file without a chat template: then they tell
   * whose form the model was trained on.
   */
  readonly specialTexts: readonly string[];
}

/** null everywhere means: the file does not say. */
export interface ModelMetadata {
  readonly ggufVersion: number;
  readonly architecture: string;
  readonly name: string | null;
  /** Tokens that the model was trained for. */
  readonly contextLength: number | null;
  readonly layers: number | null;
  readonly heads: number | null;
  readonly kvHeads: number | null;
  /** Width of one head's key and value vectors. */
  readonly keyLength: number | null;
  readonly valueLength: number | null;
  readonly embeddingLength: number | null;
  readonly slidingWindow: number | null;
  readonly vocabSize: number | null;
  /** Such as `Q4_K_M`. */
  readonly quantisation: string | null;
  readonly chatTemplate: string | null;
  /** The named templates beside the default one, such as `tool_use`. */
  readonly namedChatTemplates: Readonly<Record<string, string>>;
  readonly tokenizer: TokenizerMetadata;
  readonly licence: string | null;
  /** Weights, counted over the tensors. */
  readonly parameterCount: number;
  readonly sizeLabel: string | null;
  readonly tensorCount: number;
  /** ggml type number -> weights in the tensors of that type with more than one dimension. */
  readonly matrixWeights: ReadonlyMap<number, number>;
  readonly fileBytes: number;
}

/**
 * Reads the metadata of a GGUF file and checks that the file is whole.
 * @param advice what the reader of the error can do, such as the `parlance pull` that fetches it again.
 * @throws ParlanceError `invalid_model_file`, or `invalid_option` when there is no such file.
 */
export async function readModelMetadata(path: string, advice?: string): Promise<ModelMetadata> {
  const file = await openModel(path);
  try {
    const { size } = await file.stat();
    return await parseMetadata(new FileWindow(file, size));
  } catch (error) {
    throw toInvalidFile(error, path, advice);
  } finally {
    await file.close();
  }
}

async function openModel(path: string): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be opened (${code})`;
    throw new ParlanceError('invalid_option', `Model file ${path}: ${why}.`, { cause: error });
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ParlanceError(
    'invalid_option',
    `Model file ${path}: it is not a file. Give the path of a .gguf file.`,
  );
}

function toInvalidFile(error: unknown, path: string, advice: string | undefined): ParlanceError {
  if (error instanceof ParlanceError) return error;
  const what = describeDefect(error);
  const help =
    advice ??
    'Delete it and fetch it again (parlance pull NAME), or give another file with --model.';
  return new ParlanceError('invalid_model_file', `The model file ${path} ${what}. ${help}`, {
    cause: error,
  });
}

function describeDefect(error: unknown): string {
  if (error instanceof GgufDefect) return error.message;
  if (error instanceof PastEnd) {
    const expected = error.offset + error.needed;
    return `is truncated: its header goes on to byte ${expected} at least, and the file ends before`;
  }
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined) throw error;
  return `cannot be read (${code})`;
}

async function parseMetadata(window: FileWindow): Promise<ModelMetadata> {
  const header = await readHeader(window);
  checkLength(header, window.fileBytes);
  checkServable(header);
  const tokens = await readNamedTokens(window, header);
  const hasTemplate = text(header, 'tokenizer.chat_template') !== null;
  const specialTexts = hasTemplate ? [] : await readSpecialTexts(window, header);
  return toMetadata(header, { ...tokens, specialTexts }, window.fileBytes);
}

/** The file must reach to the end of its last tensor; types that we do not know are not measured. */
function checkLength(header: GgufHeader, fileBytes: number): void {
  let end = header.dataOffset;
  for (const tensor of header.tensors) {
    const type = ggmlTypes.get(tensor.type);
    const blocks = weightsOf(tensor.dimensions) / (type?.blockWeights ?? 1);
    const bytes = type === undefined ? 0 : Math.ceil(blocks) * type.blockBytes;
    end = Math.max(end, header.dataOffset + tensor.offset + bytes);
  }
  if (header.tensors.length > 0 && end > fileBytes) {
    throw new GgufDefect(`is truncated: it has ${fileBytes} bytes of ${end}`);
  }
}

function weightsOf(dimensions: readonly number[]): number {
  return dimensions.reduce((product, size) => product * size, 1);
}

function checkServable(header: GgufHeader): void {
  const kind = header.values.get('general.type');
  const architecture = text(header, 'general.architecture');
  if (architecture === null) throw new GgufDefect('names no architecture (general.architecture)');
  if (kind === 'adapter') throw new GgufDefect('is an adapter (LoRA), not a whole model');
  if (kind === 'mmproj' || architecture === 'clip') {
    throw new GgufDefect('is the image projector of a model, not a language model');
  }
  if (header.tensors.length === 0) throw new GgufDefect('has no weights, only a vocabulary');
}

function toMetadata(
  header: GgufHeader,
  tokens: NamedTokens & Pick<TokenizerMetadata, 'specialTexts'>,
  fileBytes: number,
): ModelMetadata {
  const architecture = text(header, 'general.architecture') ?? '';
  const of = (key: string): number | null => count(header, `${architecture}.${key}`);
  const heads = of('attention.head_count');
  const embeddingLength = of('embedding_length');
  const headLength =
    heads === null || heads === 0 || embeddingLength === null
      ? null
      : Math.floor(embeddingLength / heads);
  const fileType = count(header, 'general.file_type');
  return {
    ggufVersion: header.version,
    architecture,
    name: text(header, 'general.name'),
    contextLength: of('context_length'),
    layers: of('block_count'),
    heads,
    kvHeads: of('attention.head_count_kv') ?? heads,
    keyLength: of('attention.key_length') ?? headLength,
    valueLength: of('attention.value_length') ?? headLength,
    embeddingLength,
    slidingWindow: of('attention.sliding_window'),
    vocabSize: vocabSize(header, architecture),
    quantisation: fileType === null ? null : (fileTypeNames.get(fileType) ?? `type ${fileType}`),
    chatTemplate: text(header, 'tokenizer.chat_template'),
    namedChatTemplates: namedTemplates(header),
    tokenizer: {
      model: text(header, 'tokenizer.ggml.model'),
      pre: text(header, 'tokenizer.ggml.pre'),
      ...tokens,
      addBos: flag(header, 'tokenizer.ggml.add_bos_token'),
      addEos: flag(header, 'tokenizer.ggml.add_eos_token'),
    },
    licence: text(header, 'general.license'),
    parameterCount: header.tensors.reduce((sum, tensor) => sum + weightsOf(tensor.dimensions), 0),
    sizeLabel: text(header, 'general.size_label'),
    tensorCount: header.tensors.length,
    matrixWeights: matrixWeights(header),
    fileBytes,
  };
}

function matrixWeights(header: GgufHeader): Map<number, number> {
  const byType = new Map<number, number>();
  for (const { type, dimensions } of header.tensors) {
    if (dimensions.length < 2) continue;
    byType.set(type, (byType.get(type) ?? 0) + weightsOf(dimensions));
  }
  return byType;
}

function vocabSize(header: GgufHeader, architecture: string): number | null {
  const tokens = header.values.get('tokenizer.ggml.tokens');
  if (tokens !== undefined && (isKeptArray(tokens) || isLongArray(tokens))) return tokens.length;
  return count(header, `${architecture}.vocab_size`);
}

function namedTemplates(header: GgufHeader): Record<string, string> {
  const prefix = 'tokenizer.chat_template.';
  const templates: Record<string, string> = {};
  for (const [key, value] of header.values) {
    if (key.startsWith(prefix) && typeof value === 'string')
      templates[key.slice(prefix.length)] = value;
  }
  return templates;
}
