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

/** @throws ParlanceError `invalid_template` when the source does not parse. */
export function compileTemplate(source: string): ChatTemplate {
  return compileJinja(source) satisfies JinjaTemplate;
}
