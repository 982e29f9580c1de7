import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAddressCheck, isPublicAddress } from './check-address.ts';

describe('isPublicAddress', () => {
  const refused =
    `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255
    127.0.0.1 127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1
    2001::1 2001:0:7f00:1::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1 fc00::1
    fd00:ec2::254 fe80::1 fec0::1 ff02::1 2a00:1450::5efe:7f00:1 2a00:1450:0:0:200:5efe:a00:1
    2a00:1450::1%eth0 localhost 1.2.3 2130706433 0x7f000001`.split(/\s+/);
  const open = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
    128.0.0.1 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255
    192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 2001:4860:4860::8888 2606:4700::1111
    2a00:1450:4001::200e`.split(/\s+/);

  for (const address of refused) {
    it(`refuses ${address}`, () => assert.equal(isPublicAddress(address), false));
  }
  for (const address of open) {
    it(`takes ${address}`, () => assert.equal(isPublicAddress(address), true));
  }
});

describe('createAddressCheck', () => {
  it('takes what the operator lists, and nothing else that is not public', () => {
    const isAllowed = createAddressCheck(['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32']);
    for (const one of ['10.1.2.3', '127.0.0.1', 'fd00:1:2::3', '8.8.8.8']) {
      assert.equal(isAllowed(one), true, one);
    }
    for (const one of ['10.2.0.1', '127.0.0.2', 'fd00:2::1', 'localhost', '']) {
      assert.equal(isAllowed(one), false, one);
    }
  });

  it('refuses entries that are no addresses', () => {
    for (const entry of ['localhost', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/8/8', '::/129', '']) {
      assert.throws(() => createAddressCheck([entry]), { reason: 'invalid_option' }, entry);
    }
  });
});
