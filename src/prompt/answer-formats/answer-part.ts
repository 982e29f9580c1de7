/**
 * What the text of a model means: parts in the order in which they were written. A parser of a format
 * makes them, targets turn them into events. Types only.
 */

export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** `id` is null where the format has none; the target makes one then. `index` counts from 0. */
  | {
      readonly type: 'tool_call_start';
      readonly index: number;
      readonly id: string | null;
      readonly name: string;
    }
  | { readonly type: 'tool_call_delta'; readonly index: number; readonly arguments: string };

/** A function that the model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string | null;
  /** JSON text of the schema of its arguments; null = any object. */
  readonly parameters: string | null;
  readonly strict: boolean;
}
