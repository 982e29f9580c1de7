/**
 * How one model writes calls and thinking: found in the text of its templates, or said by the deployment.
 * The embedded target makes one for each model.
 */

import {
  detectFormat,
  type FormatName,
  type PromptRenderer,
  type ReasoningName,
} from '../../prompt/index.ts';

export interface ModelFormat {
  readonly tools: FormatName | null;
  readonly reasoning: ReasoningName | null;
}

/** What the deployment says in place of what the template tells; null: nothing. */
export interface FormatWishes {
  readonly tools: FormatName | 'none' | null;
  readonly reasoning: ReasoningName | 'none' | null;
}

export const noWishes: FormatWishes = { tools: null, reasoning: null };

/** `withTools` counts for requests with functions, `plain` for others. */
export interface ModelFormats {
  readonly plain: ModelFormat;
  readonly withTools: ModelFormat;
  /** Of a template that comes with a request. */
  of(chatTemplate: string): ModelFormat;
}

/**
 * In this form calls are asked for where the template takes no functions, and read and forced where it does
 * not tell its own.
 */
const defaultFormat: FormatName = 'hermes';

export function findFormats(renderer: PromptRenderer, wishes: FormatWishes): ModelFormats {
  const of = (source: string | null): ModelFormat => {
    const found = source === null ? { tools: null, reasoning: null } : detectFormat(source);
    return {
      tools: wishes.tools === null ? found.tools : orNull(wishes.tools),
      reasoning: wishes.reasoning === null ? found.reasoning : orNull(wishes.reasoning),
    };
  };
  const orDefault = (found: ModelFormat): ModelFormat =>
    wishes.tools === null ? { ...found, tools: found.tools ?? defaultFormat } : found;
  const withTools = of(renderer.toolSource);
  return {
    plain: of(renderer.source),
    withTools:
      renderer.tools === 'emulated' && wishes.tools === null
        ? { ...withTools, tools: defaultFormat }
        : orDefault(withTools),
    of: (chatTemplate) => orDefault(of(chatTemplate)),
  };
}

const orNull = <T extends string>(wish: T | 'none'): T | null => (wish === 'none' ? null : wish);
