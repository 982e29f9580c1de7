/** Who can reach the server: whether an address is this machine's own, and what that asks for. */

import { isIPv4 } from 'node:net';

import { ParlanceError } from '../contract/index.ts';

/** Whether only this machine can reach a server that listens on this address. */
export function isLoopback(host: string): boolean {
  const bare = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:/, '');
  return isLoopbackName(bare);
}

/** The same for a bare name in lower case, without brackets or an IPv4 address inside an IPv6 one. */
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name === '::1') return true;
  return isIPv4(name) && name.startsWith('127.');
}

/**
 * @param home the folder that keys are kept in, for the words
 * @throws ParlanceError `invalid_option` when the address is open to others and no key exists yet
 */
export function checkAddress(host: string, keysExist: boolean, home: string): void {
  if (keysExist || isLoopback(host)) return;
  throw new ParlanceError(
    'invalid_option',
    `--host ${host} lets other machines call this server, and there is no API key yet, so anybody ` +
      'could use it. Make a key first: parlance keys create NAME --home ' +
      `${home}. ` +
      'Or listen on this machine only: --host 127.0.0.1',
    { param: 'host' },
  );
}
