/** The rows of the benchmark, in the order of the report. */

import type { Row } from '../row.ts';
import { agreement } from './agreement.ts';
import { coldStart } from './cold-start.ts';
import { conversation } from './conversation.ts';
import { decode } from './decode.ts';
import { deterministic } from './deterministic.ts';
import { fairness } from './fairness.ts';
import { firstToken } from './first-token.ts';
import { memory } from './memory.ts';
import { mixedLoad } from './mixed-load.ts';
import { sharedPrefix } from './shared-prefix.ts';
import { speculation } from './speculation.ts';

export const allRows: readonly Row[] = [
  agreement,
  decode,
  firstToken,
  sharedPrefix,
  conversation,
  memory,
  coldStart,
  mixedLoad,
  fairness,
  deterministic,
  speculation,
];
