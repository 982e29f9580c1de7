/**
 * Which addresses of the network a server may be asked to fetch from: public ones, and private ones that
 * the operator lists. The ranges are those of IANA's special-purpose registries (RFC 6890 and its
 * successors); whatever they do not call globally reachable is refused. Pure.
 */

import { BlockList, isIP } from 'node:net';
import { ParlanceError } from '../contract/errors.ts';

const refusedV4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // this network, and the unspecified address
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // shared by carriers; a cloud's metadata at 100.100.100.200
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // a cloud's own agent, though the address is public
  ['169.254.0.0', 16], // link-local, and the metadata of most clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments; a cloud's metadata at 192.0.0.192
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays from 6to4
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and the broadcast address
];

/** Of IPv6 only global unicast is public: loopback, mapped, NAT64, local and multicast are outside it. */
const publicV6 = ['2000::', 3] as const;

const refusedV6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23], // protocol assignments, Teredo among them, which embeds IPv4 addresses
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which embeds IPv4 addresses
  ['3fff::', 20], // documentation
];

const refused = new BlockList();
for (const [network, bits] of refusedV4) refused.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of refusedV6) refused.addSubnet(network, bits, 'ipv6');
const global = new BlockList();
global.addSubnet(...publicV6, 'ipv6');

/** Interface identifiers of ISATAP (RFC 5214) embed an IPv4 address under any prefix. */
const isatap = /:(?:0|200)?:?5efe:[0-9a-f]{0,4}:[0-9a-f]{1,4}$/i;

/** Whether an address, in its numeric form, is one that anybody on the internet can reach. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, 'ipv4');
    case 6:
      return (
        !address.includes('%') &&
        global.check(address, 'ipv6') &&
        !refused.check(address, 'ipv6') &&
        !isatap.test(address)
      );
    default:
      return false;
  }
}

/**
 * @param allowed addresses and networks (`10.1.0.0/16`) that may be fetched from though they are not public
 * @throws ParlanceError `invalid_option` for what is neither
 */
export function createAddressCheck(allowed: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of allowed) addTo(list, entry);
  return (address) => {
    const family = isIP(address);
    if (family === 0) return false;
    return isPublicAddress(address) || list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}

function addTo(list: BlockList, entry: string): void {
  const [network = '', bits, more] = entry.split('/');
  const family = isIP(network);
  const most = family === 4 ? 32 : 128;
  const length = bits === undefined ? most : Number(bits);
  const isNetwork = /^\d{1,3}$/.test(bits ?? '0') && length <= most && more === undefined;
  if (family === 0 || !isNetwork) {
    throw new ParlanceError(
      'invalid_option',
      `"${entry}" is neither an address nor a network. Write 10.1.2.3 or 10.1.0.0/16.`,
    );
  }
  list.addSubnet(network, length, family === 4 ? 'ipv4' : 'ipv6');
}
