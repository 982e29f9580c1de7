/**
 * Chat templates behind our own interface: compile once, render many times. The Jinja engine is an
 * implementation detail of this file; nothing else imports it.
 */

import { Template } from '@huggingface/jinja';
import { ParlanceError } from '../contract/index.ts';

export interface ChatTemplate {
  /**
   * @returns the prompt's text
   * @throws ParlanceError `invalid_template` when the template raises or fails on this context
   */
  render(context: Readonly<Record<string, unknown>>): string;
  /** Whether the source names this identifier, so that a value under it can reach the prompt. */
  mentions(identifier: string): boolean;
}

const failed = (words: string, error: unknown): ParlanceError => {
  const why = error instanceof Error ? error.message : 'unknown failure';
  return new ParlanceError('invalid_template', `${words}: ${why}`, { cause: error });
};

/** @throws ParlanceError `invalid_template` when the source does not parse. */
export function compileTemplate(source: string): ChatTemplate {
  let template: Template;
  try {
    template = new Template(source);
  } catch (error) {
    throw failed('The chat template does not parse', error);
  }
  return {
    render(context) {
      try {
        return template.render({ ...context });
      } catch (error) {
        throw failed('The chat template refused these messages', error);
      }
    },
    mentions: (identifier) => new RegExp(`\\b${identifier}\\b`).test(source),
  };
}
