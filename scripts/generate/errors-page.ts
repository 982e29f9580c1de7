/** docs/errors.md: the error catalogue. */

import { errorCatalogue } from '../../src/contract/index.ts';
import { generatedNote, table } from './markdown.ts';

export function errorsPage(): string {
  const rows = Object.entries(errorCatalogue)
    .map(([reason, { status, type, when }]) => ({ reason, status, type, when }))
    .sort((one, other) => one.status - other.status || one.reason.localeCompare(other.reason));
  return `${generatedNote}

# Errors

Every error has one shape, on every path and inside a stream:

\`\`\`json
{"error": {"message": "…", "type": "invalid_request_error", "code": 400, "param": "messages[0].role", "reason": "invalid_value"}}
\`\`\`

\`code\` is the HTTP status, \`param\` the JSON path of the field at fault (or null), and \`reason\` a machine word that stays the same between versions. \`message\` says what is wrong and what would work; its wording may change. Where an external target answers with an error, its status and its type may replace those below.

${table(
  ['status', 'reason', 'type', 'when'],
  rows.map(({ status, reason, type, when }) => [
    String(status),
    `\`${reason}\``,
    `\`${type}\``,
    when,
  ]),
)}
`;
}
