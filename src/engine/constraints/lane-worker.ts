/** Where the worker threads of constraints begin. */

import { compileConstraint } from '../../constraint/index.ts';
import { runLane } from './lane-loop.ts';

runLane(compileConstraint);
