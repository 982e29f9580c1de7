/** The capability record of each kind of target, for the reference page and the matrix test. */

import type { CapabilityRecord } from '../contract/index.ts';
import { embeddedCapabilities } from './embedded/capabilities.ts';
import { externalCapabilities } from './external/capabilities.ts';
import type { TargetKind } from './target.ts';

/** What each kind of target does when nothing more is declared: the matrix of the reference page. */
export const capabilityRecords: Readonly<Record<TargetKind, CapabilityRecord>> = {
  embedded: embeddedCapabilities((word) => word === 'messages'),
  external: externalCapabilities([]),
};
