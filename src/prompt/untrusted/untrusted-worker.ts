/** The thread in which a request's own template is compiled and rendered. */

import { asParlanceError } from '../../contract/errors.ts';
import { compileTemplate } from '../chat-template.ts';
import { composePrompt, createComposer } from '../compose-prompt.ts';
import { answerJobs } from '../workers/answer-jobs.ts';
import type { UntrustedJob, UntrustedResult } from './render-untrusted.ts';

answerJobs(({ source, special, input }: UntrustedJob): UntrustedResult => {
  try {
    const composer = createComposer(compileTemplate(source), source, special);
    return { type: 'rendered', rendered: composePrompt(composer, input) };
  } catch (error) {
    const { reason, message, param } = asParlanceError(error);
    return { type: 'failed', reason, message, param };
  }
});
