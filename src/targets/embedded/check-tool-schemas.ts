/**
 * Which functions' arguments can be constrained while they are generated. Where the schema is not
 * supported they are any JSON object, checked at the end; a function that is `strict` is refused then.
 */

import type { Verifier } from '../../constraint/index.ts';
import { ParlanceError, type ReceiptNote } from '../../contract/index.ts';
import type { ToolDefinition, ToolUse } from '../../prompt/index.ts';
import { argumentsSpec } from '../reading/create-check.ts';

export interface CheckedTools {
  readonly use: ToolUse;
  readonly notes: readonly ReceiptNote[];
}

/** @throws ParlanceError `invalid_constraint` for a strict function */
export async function checkToolSchemas(use: ToolUse, verifier: Verifier): Promise<CheckedTools> {
  const notes: ReceiptNote[] = [];
  const callable = await Promise.all(
    use.callable.map(async (tool): Promise<ToolDefinition> => {
      const problem =
        tool.parameters === null ? null : await verifier.findUnsupported(argumentsSpec(tool));
      if (problem === null) return tool;
      const { message, keyword } = problem;
      if (tool.strict) {
        throw new ParlanceError(
          'invalid_constraint',
          `The parameters of ${tool.name}: ${message} Without \`strict\` they are checked at the end.`,
          { param: 'tools', ...(keyword === null ? {} : { keyword }) },
        );
      }
      const note = `arguments of ${tool.name} are checked at the end: ${keyword ?? 'its schema'} cannot be enforced`;
      notes.push({ parameter: 'tools', note });
      return { ...tool, parameters: null };
    }),
  );
  return { use: { ...use, callable }, notes };
}
