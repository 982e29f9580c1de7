/** `parlance deploy list`, `show` and `remove`: what a running server has, as tables or as JSON. */

import { requestJson } from '../client/server-client.ts';
import { coloursFor, printJson, tableWidth, type Colours, type Io } from '../io.ts';
import { renderTable } from '../table.ts';
import { chooseServer, type ServerFlags } from './deploy.ts';
import {
  deploymentPath,
  parseDeployment,
  parseDeployments,
  type DeploymentView,
} from './deployment-view.ts';

/** Lists all deployments. */
export async function list(io: Io, flags: ServerFlags): Promise<void> {
  const server = await chooseServer(io, flags);
  const views = parseDeployments(await requestJson(server, { path: '/deploy' }));
  if (flags.json === true) return printJson(io, views);
  if (views.length === 0) {
    io.stderr.write('Nothing is deployed. Try: parlance deploy NAME --model smollm2-135m\n');
    return;
  }
  const colours = coloursFor(io, io.stdout);
  io.stdout.write(
    renderTable(
      views,
      [
        { title: 'NAME', cell: (view) => view.name },
        { title: 'STATE', cell: (view) => view.state },
        { title: 'RUNTIME', cell: (view) => text(view['runtime']) },
        { title: 'MODEL', cell: modelOf },
      ],
      {
        title: colours.bold,
        columns: tableWidth(io.stdout),
      },
    ),
  );
}

/** Of an adapter its file, and what it changes. */
function modelOf(view: DeploymentView): string {
  const base = view['adapter_of'];
  return base === undefined ? text(view['model']) : `${text(view['path'])} on ${text(base)}`;
}

/** Shows all that the server says of one deployment. */
export async function show(io: Io, name: string, flags: ServerFlags): Promise<void> {
  const server = await chooseServer(io, flags);
  const view = parseDeployment(await requestJson(server, { path: deploymentPath(name) }));
  if (flags.json === true) return printJson(io, view);
  io.stdout.write(renderFields(view, coloursFor(io, io.stdout)));
}

/** Asks for the removal; running requests are finished by the server. */
export async function remove(io: Io, name: string, flags: ServerFlags): Promise<void> {
  const server = await chooseServer(io, flags);
  const asked = { method: 'DELETE', path: deploymentPath(name) } as const;
  const view = parseDeployment(await requestJson(server, asked));
  if (flags.json === true) return printJson(io, view);
  io.stdout.write(
    `${view.name}: ${view.state}; it is gone once its running requests have ended.\n`,
  );
}

function renderFields(view: DeploymentView, { dim }: Colours): string {
  const fields = Object.entries(view).filter(([, value]) => value !== null && value !== undefined);
  const lines = fields.flatMap(([name, value]) => toLines(name, value));
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${dim(name.padEnd(width))}  ${value}\n`).join('');
}

type Line = readonly [name: string, value: string];

/** A field in lines: what lies in it one below the other, capabilities by what becomes of them. */
function toLines(name: string, value: unknown): Line[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [[name, text(value)]];
  }
  if (name === 'capabilities') {
    return [...Map.groupBy(Object.entries(value), ([, fate]) => String(fate))].map(
      ([fate, parameters]) => [fate, parameters.map(([parameter]) => parameter).join(', ')],
    );
  }
  return Object.entries(value)
    .filter(([, inner]) => inner !== null)
    .map(([inner, one]) => [`${name}.${inner}`, text(one)]);
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '-' : JSON.stringify(value);
}
