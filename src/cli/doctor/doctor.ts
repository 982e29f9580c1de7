/**
 * `parlance doctor`: looks at everything that `parlance serve` would use and says what is wrong and
 * how to mend it. It fetches nothing, starts no server, and knows no examination itself.
 */

import { loadOptions, optionTable, type Options } from '../../config/index.ts';
import { ParlanceError } from '../../contract/index.ts';
import { Exit, exitCodes } from '../exit-code.ts';
import { coloursFor, printJson, type Io } from '../io.ts';
import { fail, ok, renderFindings, warn, type Finding } from './finding.ts';
import { agrees, installGpu } from './gpu/install-gpu.ts';
import { checkGpu } from './gpu/check-gpu.ts';
import { readSystem } from './gpu/system.ts';
import { checkDisk, checkHome } from './home.ts';
import { checkEngine, checkNode, checkPlatform, readMachine } from './machine.ts';
import { checkModel } from './model.ts';
import { checkPort } from './port.ts';

export interface DoctorFlags {
  readonly home?: string;
  readonly port?: string;
  readonly model?: string;
  readonly config?: string;
  readonly json?: boolean;
  /** Look at GPUs alone. */
  readonly gpu?: boolean;
  /** Install the GPU package that fits. */
  readonly install?: boolean;
}

/** @throws Exit with code 1 when something would keep the server from working */
export async function doctor(io: Io, flags: DoctorFlags): Promise<void> {
  const onlyGpu = flags.gpu === true || flags.install === true;
  const findings = onlyGpu ? await examineGpu(io, flags) : await examine(io, flags);
  const failed = findings.some(({ status }) => status === 'fail');
  if (flags.json === true) printJson(io, { ok: !failed, findings });
  else io.stdout.write(renderFindings(findings, coloursFor(io, io.stdout)));
  if (failed) throw new Exit(exitCodes.failed);
}

/** With what fits installed first, where the user wants that. */
async function examineGpu(io: Io, flags: DoctorFlags): Promise<readonly Finding[]> {
  const system = readSystem(io.env);
  const { findings, installable } = await checkGpu(system);
  if (installable === null) return findings;
  const wanted = flags.install === true || (flags.json !== true && (await agrees(io, installable)));
  if (!wanted) return findings;
  await installGpu(installable.name, io);
  return (await checkGpu(system)).findings;
}

async function examine(io: Io, flags: DoctorFlags): Promise<Finding[]> {
  const machine = readMachine();
  const config = checkConfig(io, flags);
  const { options } = config;
  const [engine, home, model] = await Promise.all([
    checkEngine(),
    checkHome(options.home),
    checkModel({ ...options, env: io.env }),
  ]);
  const { host, port } = options;
  const { holder, keys, freeBytes } = home;
  return [
    checkNode(machine),
    checkPlatform(machine),
    ...engine,
    ...config.findings,
    ...home.findings,
    checkDisk(freeBytes, model.missingBytes),
    ...(await checkPort({ host, port, holder, keys, home: options.home })),
    ...model.findings,
  ];
}

interface Config {
  readonly options: Options;
  readonly findings: readonly Finding[];
}

/** Options that cannot be read are one finding; the rest is then examined with the defaults. */
function checkConfig(io: Io, { home, port, model, config }: DoctorFlags): Config {
  const request = { env: io.env, cwd: io.cwd };
  try {
    const loaded = loadOptions({ ...request, flags: { home, port, model, config } });
    const from = loaded.configFile ?? 'no parlance.yaml; flags, variables and defaults';
    return {
      options: loaded.options,
      findings: [
        ok('config', from),
        ...loaded.warnings.map((warning) => warn('config', warning, null)),
      ],
    };
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    return { options: defaultOptions(io, home), findings: [fail('config', error.message, null)] };
  }
}

function defaultOptions(io: Io, home: string | undefined): Options {
  const defaults = Object.fromEntries(optionTable.map((row) => [row.name, row.default]));
  const written = home ?? io.env['PARLANCE_HOME'] ?? '';
  const fallback = `${io.env['HOME'] ?? ''}/.parlance`;
  return { ...(defaults as Options), home: written === '' ? fallback : written };
}
