/** docs/configuration.md: the start options. */

import { optionTable } from '../../src/config/index.ts';
import { generatedNote, table } from './markdown.ts';

export function configurationPage(): string {
  const rows = optionTable.map((row) => [
    `\`${row.flag} ${row.argument}\``,
    `\`${row.env}\``,
    `\`${row.file.join('.')}\``,
    row.defaultText,
    row.description,
  ]);
  return `${generatedNote}

# Options

Each option is a flag of \`npm start --\` and \`parlance serve\`, an environment variable and a key of
\`parlance.yaml\`. A flag goes before a variable, a variable before the file, the file before the
default. The file is the one that \`--config\` (or \`PARLANCE_CONFIG\`) names, else \`parlance.yaml\` in the
folder where the server starts, else in the home folder.

${table(['flag', 'variable', 'in the file', 'default', 'what it does'], rows)}

\`\`\`yaml
# parlance.yaml
port: 9000
model: ./my-model.gguf
slots: 4
stream:
  usage_chunk: separate
\`\`\`

A wrong value ends the start with a message that names the flag, the variable, or the line of the
file. Nothing in the file is passed over: a key that this version does not know is an error.

The sources of weights honour \`HF_TOKEN\`, \`HF_ENDPOINT\`, \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\`.
`;
}
