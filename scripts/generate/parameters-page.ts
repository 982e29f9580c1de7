/** docs/parameters.md: every field of a chat request, and what each kind of target does with it. */

import {
  chatCompletionRequest,
  describe,
  parameterTable,
  type Group,
  type ParameterRow,
  type Schema,
} from '../../src/contract/index.ts';
import { capabilityMatrix } from './capability-matrix.ts';
import { generatedNote, table } from './markdown.ts';

const rows = Object.entries(parameterTable) as [string, ParameterRow<unknown>][];
const schemas = chatCompletionRequest.properties as unknown as Record<string, Schema>;

const groups: Readonly<Record<Group, string>> = {
  Input: 'Who answers, from what, and how the prompt is made.',
  Length: 'How much is generated.',
  Sampling: 'Which token comes next.',
  Stopping: 'What ends an answer before its length does.',
  Output: 'How the answer is sent, and what comes with it.',
  Structure: 'What form the answer has.',
  Tools: 'Functions that the model may call.',
  Service: 'For providers and records.',
};

function whatItDoes(field: string, row: ParameterRow<unknown>): string {
  const words = [schemas[field]?.description ?? ''];
  if (row.synonymOf !== undefined) words.push(`Folded into \`${row.synonymOf}\`.`);
  if (row.needs !== undefined) words.push(`Needs ${row.needs.what}.`);
  if (row.role === 'recorded') words.push('In no receipt.');
  return words.join(' ');
}

function section(group: Group): string {
  const own = rows.filter(([, row]) => row.group === group);
  const cells = own.map(([field, row]) => [
    `\`${field}\``,
    describe(schemas[field] ?? {}),
    row.default,
    row.role === 'parameter' ? row.neutralText : '',
    whatItDoes(field, row),
  ]);
  return `### ${group}

${groups[group]}

${table(['field', 'type and range', 'default', 'neutral values', 'what it does'], cells)}
`;
}

export function parametersPage(): string {
  return `${generatedNote}

# Parameters

The fields of \`POST /v1/chat/completions\`. Every optional field takes \`null\`, which means absent. A field that is not here is refused (\`unknown_field\`). A neutral value changes nothing, so every target accepts it. With any other value a parameter is honoured, emulated, or refused with a reason (\`unsupported_parameter\`); the header \`x-parlance-receipt\` says which. With \`x-parlance-unsupported: drop\` (or \`warn\`) a request goes on without what is refused or not known.

## Fields

${(Object.keys(groups) as Group[]).map(section).join('\n')}
## What each kind of target does

${capabilityMatrix()}
`;
}
