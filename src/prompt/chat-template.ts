/**
 * Chat templates behind our own interface: compile once, render many times. The Jinja engine is an
 * implementation detail of this file; nothing else imports it.
 */

import {
  compileTemplate as compileJinja,
  type HostContext,
  type JinjaTemplate,
  type RenderTemplateOptions,
} from './jinja/template.ts';

export type { RenderTemplateOptions };

export interface ChatTemplate {
  /**
   * @returns the prompt's text
   * @throws ParlanceError `invalid_template` when the template raises or fails on this context
   */
  render(context: HostContext, options?: RenderTemplateOptions): string;
  /** Whether the template reads this name, so that a value under it can reach the prompt. */
  mentions(identifier: string): boolean;
}

/**
 * What a model's own template may do. It renders the longest conversations of those who deployed it,
 * and some templates look at all messages for each message: a thousand messages take ten million steps.
 */
const modelLimits = { steps: 30_000_000 };

/**
 * @param origin who wrote it: a request's template ends within a tenth of a second, whatever it does
 * @throws ParlanceError `invalid_template` when the source does not parse.
 */
export function compileTemplate(
  source: string,
  origin: 'model' | 'request' = 'request',
): ChatTemplate {
  const template: JinjaTemplate = compileJinja(source);
  if (origin === 'request') return template;
  return {
    render: (context, options = {}) =>
      template.render(context, { ...options, limits: { ...modelLimits, ...options.limits } }),
    mentions: (identifier) => template.mentions(identifier),
  };
}
