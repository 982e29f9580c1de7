/** Shows what the start model is doing until it is ready: the bar of a fetch, then its loading. */

import type { Deployments, DeploymentView } from '../../deployments/index.ts';
import { createProgressWriter, type ProgressOutput } from '../../models/index.ts';

const lookEveryMs = 100;

/** @returns the start model's view once it is ready, failed or gone */
export async function followStart(
  deployments: Deployments,
  name: string,
  output: ProgressOutput,
): Promise<DeploymentView> {
  const writer = createProgressWriter(output);
  const timer = setInterval(() => {
    const progress = deployments.list().find((one) => one.name === name)?.progress;
    if (progress === undefined || progress.phase === 'load') return;
    writer.update({
      source: progress.source,
      phase: progress.phase,
      bytes: progress.bytes,
      totalBytes: progress.total_bytes,
      bytesPerSecond: progress.bytes_per_second,
      etaSeconds: progress.eta_seconds,
    });
  }, lookEveryMs);
  try {
    return await deployments.settled(name);
  } finally {
    clearInterval(timer);
    writer.done();
  }
}
