/**
 * Which functions' arguments can be constrained while they are generated. Where the schema is not
 * supported they are any JSON object: checked at the end where a call is forced, and refused at once where
 * the function is `strict`, or where they cannot be checked either. Who may call only, and asks for nothing
 * strict, gets what the model writes.
 */

import type { ConstraintSpec, Verifier } from '../../constraint/index.ts';
import { ParlanceError, type ReceiptNote } from '../../contract/index.ts';
import type { ToolDefinition, ToolUse } from '../../prompt/index.ts';
import { argumentsSpec } from '../reading/create-check.ts';

export interface CheckedTools {
  readonly use: ToolUse;
  readonly notes: readonly ReceiptNote[];
}

/** @throws ParlanceError `invalid_constraint` for a strict function, and for a forced one that nothing can check */
export async function checkToolSchemas(use: ToolUse, verifier: Verifier): Promise<CheckedTools> {
  const notes: ReceiptNote[] = [];
  const callable = await Promise.all(
    use.callable.map(async (tool): Promise<ToolDefinition> => {
      const problem =
        tool.parameters === null ? null : await verifier.findUnsupported(argumentsSpec(tool));
      if (problem === null) return tool;
      const { message, keyword } = problem;
      const mustMatch = tool.strict || use.choice !== 'auto';
      const canCheck = !mustMatch || (await isVerifiable(argumentsSpec(tool), verifier));
      if (tool.strict || !canCheck) {
        const way = canCheck ? ' Without `strict` they are checked at the end.' : '';
        throw new ParlanceError(
          'invalid_constraint',
          `The parameters of ${tool.name}: ${message}${way}`,
          { param: 'tools', ...(keyword === null ? {} : { keyword }) },
        );
      }
      const what = mustMatch ? 'are checked at the end' : 'may be any object';
      const note = `arguments of ${tool.name} ${what}: ${keyword ?? 'its schema'} cannot be enforced`;
      notes.push({ parameter: 'tools', note });
      return { ...tool, parameters: null };
    }),
  );
  return { use: { ...use, callable }, notes };
}

/** What cannot be checked at the end either is refused before anything is generated. */
async function isVerifiable(spec: ConstraintSpec, verifier: Verifier): Promise<boolean> {
  try {
    await verifier.verify(spec, '{}');
    return true;
  } catch (error) {
    if (error instanceof ParlanceError && error.reason === 'invalid_constraint') return false;
    throw error;
  }
}
