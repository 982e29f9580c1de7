/**
 * Keeps web pages away from the routes that change something: a page can reach a local server under
 * a name of its own (DNS rebinding, seen in Host) or from its own origin (seen in Origin).
 */

import { isIP } from 'node:net';

import { isLoopbackName } from '../../config/index.ts';
import { ParlanceError } from '../../contract/index.ts';

export interface Caller {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

export interface OwnNames {
  /** The port that the request came in on. */
  readonly port: number;
  /** The address that the request came in on. */
  readonly address: string;
  /** The host that the server was told to listen on. */
  readonly host: string;
  readonly allowed: readonly string[];
}

interface Place {
  readonly name: string;
  readonly port: number | null;
}

function parsePlace(text: string): Place | null {
  const found = /^(\[[0-9a-fA-F:.]+\]|[^:/?#@\s]+)(?::(\d{1,5}))?$/.exec(text);
  if (found === null) return null;
  const name = (found[1] ?? '').replaceAll(/^\[|\]$/g, '').toLowerCase();
  return { name, port: found[2] === undefined ? null : Number(found[2]) };
}

const withoutMapping = (address: string): string => address.replace(/^::ffff:/, '');

function isOwn(place: Place, own: OwnNames, defaultPort: number): boolean {
  const port = place.port ?? defaultPort;
  for (const entry of own.allowed) {
    const allowed = parsePlace(entry);
    if (allowed?.name === place.name && (allowed.port ?? port) === port) return true;
  }
  if (port !== own.port) return false;
  if (isLoopbackName(place.name) || place.name === own.host.toLowerCase()) return true;
  return isIP(place.name) !== 0 && place.name === withoutMapping(own.address);
}

function foreign(header: string, value: string): ParlanceError {
  const shown = value.slice(0, 128).replaceAll(/[^\x20-\x7e]/g, '?');
  return new ParlanceError(
    'foreign_origin',
    `This route is not open to the ${header} "${shown}"; call the server by its own address, or start it with that name in --allowed-hosts.`,
    { param: header },
  );
}

/** @throws ParlanceError `foreign_origin` */
export function checkOrigin(caller: Caller, own: OwnNames): void {
  const host = caller.host ?? '';
  const place = parsePlace(host);
  if (place === null || !isOwn(place, own, 80)) throw foreign('host', host);
  const { origin } = caller;
  if (origin === undefined) return;
  const found = /^(https?):\/\/(.+)$/.exec(origin);
  const from = found === null ? null : parsePlace(found[2] ?? '');
  if (from === null || !isOwn(from, own, found?.[1] === 'https' ? 443 : 80)) {
    throw foreign('origin', origin);
  }
}
