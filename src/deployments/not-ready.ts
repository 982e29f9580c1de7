/** What a request to a model that cannot answer is told, and when to come back. Pure. */

import { didYouMean, ParlanceError } from '../contract/index.ts';
import { invalidDeployment } from './check-fields.ts';
import { formatBytes } from '../models/index.ts';
import type { Lifecycle, PullProgress } from './lifecycle.ts';

const shownNames = 20;

/** Names for a message: all of them, or the first twenty and how many more. */
export function listNames(names: readonly string[]): string {
  const more = names.length - shownNames;
  const shown = names.slice(0, shownNames).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

export function unknownModel(name: string, names: readonly string[]): ParlanceError {
  const there =
    names.length === 0
      ? 'No model is there at all: deploy one with POST /deploy, or start with --model.'
      : `The models are: ${listNames(names)}.`;
  return new ParlanceError(
    'unknown_model',
    `There is no model "${name.slice(0, 128)}"${didYouMean(name, names)}. ${there}`,
    { param: 'model' },
  );
}

export function unknownDeployment(name: string, names: readonly string[]): ParlanceError {
  const there =
    names.length === 0 ? 'There are none.' : `The deployments are: ${listNames(names)}.`;
  return new ParlanceError(
    'unknown_deployment',
    `There is no deployment "${name.slice(0, 128)}"${didYouMean(name, names)}. ${there}`,
  );
}

/** The error for a deployment in any state but ready. */
export function notReady(name: string, life: Lifecycle): ParlanceError {
  const param = 'model';
  switch (life.state) {
    case 'pulling': {
      const retryAfter = secondsLeft(life.progress);
      return new ParlanceError(
        'model_loading',
        `The weights of "${name}" are being fetched: ${describePull(life.progress)}. Try again in ${retryAfter} s.`,
        { param, retryAfter },
      );
    }
    case 'loading': {
      const part = life.fraction === null ? '' : `, ${Math.floor(life.fraction * 100)}% done`;
      return new ParlanceError(
        'model_loading',
        `The model "${name}" is being loaded${part}. Try again in a moment.`,
        { param, retryAfter: 1 },
      );
    }
    case 'failed':
      return new ParlanceError(
        'deployment_failed',
        `The deployment "${name}" failed: ${life.error.message}`,
        { param, retryAfter: 30 },
      );
    default:
      return new ParlanceError(
        'unknown_model',
        `The model "${name}" is being removed and takes no more requests.`,
        { param },
      );
  }
}

/** An adapter cannot start because what it changes did not. */
export function baseNotReady(name: string, life: Lifecycle): ParlanceError {
  const why = life.state === 'failed' ? `failed: ${life.error.message}` : 'is not there any more.';
  return new ParlanceError('deployment_failed', `Its base "${name}" ${why}`);
}

export function noAdaptersThere(name: string): ParlanceError {
  return invalidDeployment('adapter_of', `"${name}" is no deployment that adapters can change.`);
}

function describePull(progress: PullProgress | null): string {
  if (progress === null) return 'just begun';
  const { phase, bytes, totalBytes, etaSeconds } = progress;
  const words = { download: 'fetched', verify: 'checked', unpack: 'unpacked' } as const;
  const left = etaSeconds === null ? '' : `, about ${etaSeconds} s left`;
  if (totalBytes === null || totalBytes === 0)
    return `${formatBytes(bytes)} ${words[phase]}${left}`;
  const percent = Math.floor((bytes / totalBytes) * 100);
  return `${formatBytes(bytes)} of ${formatBytes(totalBytes)} ${words[phase]} (${percent}%)${left}`;
}

/** Never more than a minute: an estimate of a long fetch is a guess. */
function secondsLeft(progress: PullProgress | null): number {
  return Math.min(60, Math.max(1, progress?.etaSeconds ?? 5));
}
