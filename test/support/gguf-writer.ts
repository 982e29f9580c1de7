/**
 * Writes small GGUF files for tests: metadata values with their types, tensors with their bytes.
 * It writes what it is told, sound or not; checking is the reader's work.
 */

export type GgufType = 'u8' | 'u32' | 'i32' | 'u64' | 'f32' | 'bool' | 'string';

export type GgufEntry =
  | { readonly type: GgufType; readonly value: number | bigint | boolean | string }
  | { readonly array: GgufType; readonly values: readonly (number | bigint | boolean | string)[] };

export interface GgufTensor {
  readonly name: string;
  /** ggml's type number; 0 is F32. */
  readonly type: number;
  readonly dimensions: readonly number[];
  readonly data: Uint8Array;
}

export interface GgufContent {
  readonly version?: number;
  readonly alignment?: number;
  readonly values: Readonly<Record<string, GgufEntry>>;
  readonly tensors?: readonly GgufTensor[];
}

const typeNumbers: Readonly<Record<GgufType, number>> = {
  u8: 0,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  u64: 10,
};

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const u64 = (value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

function toString(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

function toScalar(type: GgufType, value: number | bigint | boolean | string): Buffer {
  if (type === 'string') return toString(String(value));
  if (type === 'u64') return u64(BigInt(value));
  if (type === 'u32') return u32(Number(value));
  if (type === 'u8' || type === 'bool') return Buffer.from([Number(value)]);
  const bytes = Buffer.alloc(4);
  if (type === 'i32') bytes.writeInt32LE(Number(value));
  else bytes.writeFloatLE(Number(value));
  return bytes;
}

function toEntry(entry: GgufEntry): Buffer {
  if ('type' in entry) {
    return Buffer.concat([u32(typeNumbers[entry.type]), toScalar(entry.type, entry.value)]);
  }
  return Buffer.concat([
    u32(9),
    u32(typeNumbers[entry.array]),
    u64(entry.values.length),
    ...entry.values.map((value) => toScalar(entry.array, value)),
  ]);
}

const padded = (length: number, alignment: number): number =>
  Math.ceil(length / alignment) * alignment;

/** The bytes of a whole GGUF file. */
export function toGguf(content: GgufContent): Buffer {
  const alignment = content.alignment ?? 32;
  const tensors = content.tensors ?? [];
  const parts: Buffer[] = [
    Buffer.from('GGUF'),
    u32(content.version ?? 3),
    u64(tensors.length),
    u64(Object.keys(content.values).length),
  ];
  for (const [key, entry] of Object.entries(content.values))
    parts.push(toString(key), toEntry(entry));
  let offset = 0;
  for (const tensor of tensors) {
    parts.push(
      toString(tensor.name),
      u32(tensor.dimensions.length),
      ...tensor.dimensions.map((size) => u64(size)),
      u32(tensor.type),
      u64(offset),
    );
    offset = padded(offset + tensor.data.length, alignment);
  }
  const header = Buffer.concat(parts);
  const data = tensors.map((tensor) =>
    Buffer.concat([tensor.data], padded(tensor.data.length, alignment)),
  );
  return Buffer.concat([Buffer.concat([header], padded(header.length, alignment)), ...data]);
}

const str = (value: string): GgufEntry => ({ type: 'string', value });
const num = (value: number): GgufEntry => ({ type: 'u32', value });

/** A sound file with the metadata of a tiny language model, and one tensor of 64 weights. */
export function tinyModel(extra: Readonly<Record<string, GgufEntry>> = {}): GgufContent {
  return {
    values: {
      'general.architecture': str('llama'),
      'general.name': str('Tiny'),
      'general.file_type': num(0),
      'llama.context_length': num(128),
      'llama.block_count': num(1),
      'llama.embedding_length': num(8),
      'llama.attention.head_count': num(2),
      'llama.attention.head_count_kv': num(1),
      'tokenizer.ggml.model': str('gpt2'),
      'tokenizer.ggml.tokens': { array: 'string', values: ['<s>', '</s>', 'a', 'b'] },
      'tokenizer.ggml.bos_token_id': num(0),
      'tokenizer.ggml.eos_token_id': num(1),
      'tokenizer.chat_template': str('{{ messages[0].content }}'),
      ...extra,
    },
    tensors: [
      { name: 'token_embd.weight', type: 0, dimensions: [8, 8], data: new Uint8Array(256).fill(1) },
    ],
  };
}
