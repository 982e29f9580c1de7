/** The capability record of each kind of target, for the reference page and the matrix test. */

import type { CapabilityRecord } from '../contract/index.ts';
import { embeddedCapabilities } from './embedded/capabilities.ts';
import { externalCapabilities } from './external/capabilities.ts';
import { createRenderer, createUntrustedRenderer } from '../prompt/index.ts';
import type { TargetKind } from './target.ts';

/** A model whose template takes messages and nothing else. */
const plainest = createRenderer({
  chatTemplate:
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}",
  architecture: 'llama',
  special: { bos: null, eos: null },
  untrusted: createUntrustedRenderer(),
});

/** What each kind of target does when nothing more is declared: the matrix of the reference page. */
export const capabilityRecords: Readonly<Record<TargetKind, CapabilityRecord>> = {
  embedded: embeddedCapabilities(plainest.capabilities),
  external: externalCapabilities([]),
};
