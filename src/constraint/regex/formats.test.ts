import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { FormatName } from '../json-schema/node.ts';
import { formatPatterns } from './formats.ts';
import { createDice } from './random-regex.test-support.ts';
import { accepts, canFinish, compile, walk } from './walk.test-support.ts';

const machines = new Map(
  Object.entries(formatPatterns).map(([name, pattern]) => [name, compile({ whole: [pattern] })]),
);

function isOf(format: FormatName, text: string): boolean {
  return accepts(machines.get(format)!, text);
}

interface Examples {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

const long = 'a'.repeat(63);

const table: Readonly<Record<FormatName, Examples>> = {
  time: {
    right: [
      '23:59:60Z',
      '23:59:60+00:00',
      '01:29:60+01:30',
      '23:29:60+23:30',
      '15:59:60-08:00',
      '00:29:60-23:30',
      '08:30:06Z',
      '23:20:50.52Z',
      '08:30:06+00:20',
      '08:30:06-08:00',
      '08:30:06z',
      '23:59:59+23:59',
    ],
    wrong: [
      '22:59:60Z',
      '22:59:60+00:00',
      '23:58:60Z',
      '23:59:60+01:00',
      '23:59:60+00:30',
      '23:59:60-01:00',
      '23:59:60-00:30',
      '24:00:00Z',
      '00:60:00Z',
      '00:00:61Z',
      '01:02:03+24:00',
      '01:02:03+00:60',
      '01:02:03',
      '12:00:00.Z',
      '01:02:03Z+00:30',
      '08:30:06 PST',
      '8:3:6Z',
      '1২:00:00Z',
    ],
  },
  date: {
    right: ['2020-02-29', '1963-06-19', '2000-02-29', '2024-12-31'],
    wrong: [
      '2021-02-29',
      '1900-02-29',
      '2020-04-31',
      '2020-13-01',
      '2020-1-1',
      '06/19/1963',
      '2020-00-10',
      '1963-06-1৪',
    ],
  },
  'date-time': {
    right: [
      '1963-06-19T08:30:06.283185Z',
      '1998-12-31T15:59:60.123-08:00',
      '1998-12-31T23:59:60Z',
      '1963-06-19t08:30:06.283185z',
      '1937-01-01T12:00:27.87+00:20',
    ],
    wrong: [
      '1998-12-31T23:59:61Z',
      '1998-12-31T23:58:60Z',
      '1990-02-31T15:59:59.123-08:00',
      '1963-06-19 08:30:06Z',
      '2013-350T01:01:01',
      '1990-12-31T15:59:59-24:00',
      '1990-12-31T15:59:59',
    ],
  },
  duration: {
    right: [
      'P4DT12H30M5S',
      'P4Y',
      'PT0S',
      'P0D',
      'P1M',
      'PT1M',
      'PT36H',
      'P1DT12H',
      'P2W',
      'P1Y2D',
    ],
    wrong: [
      'PT1D',
      'P',
      'P1YT',
      'PT',
      'P2D1Y',
      'P1D2H',
      'P2S',
      '4DT12H30M5S',
      'P1Y2W',
      'P1',
      'P২Y',
      'P1W2D',
    ],
  },
  email: {
    right: [
      'joe.bloggs@example.com',
      'te~st@example.com',
      '"joe bloggs"@example.com',
      '"joe..bloggs"@example.com',
      '"joe@bloggs"@example.com',
      'joe.bloggs@[127.0.0.1]',
      'joe.bloggs@[IPv6:::1]',
      'a@b',
    ],
    wrong: [
      '2962',
      '.test@example.com',
      'test.@example.com',
      'te..st@example.com',
      'joe.bloggs@invalid=domain.com',
      'joe.bloggs@[127.0.0.300]',
      'a@',
      '@b',
      'a b@c.d',
      'a'.repeat(65) + '@b',
    ],
  },
  hostname: {
    right: [
      'www.example.com',
      'xn--4gbwdl.xn--wgbh1c',
      'a',
      '1host',
      'a'.repeat(63) + '.' + 'b'.repeat(63) + '.com',
    ],
    wrong: [
      '-a',
      'a-',
      'not_valid',
      'a'.repeat(64),
      '',
      '.',
      'a.',
      '.a',
      ('a'.repeat(60) + '.').repeat(4) + 'aaaaaaaaaaaa',
    ],
  },
  ipv4: {
    right: ['192.168.0.1', '0.0.0.0', '255.255.255.255'],
    wrong: ['127.0.0.0.1', '256.1.1.1', '127.0', '01.1.1.1', '0x7f.1.1.1', '1.1.1.1/24'],
  },
  ipv6: {
    right: [
      '::1',
      '::',
      '::abef',
      'abcd:ef::',
      '1:2:3:4:5:6:7::',
      '::42:ff:1',
      'd6::',
      '1:d6::42',
      '1::d6:192.168.0.1',
      '1:2::192.168.0.1',
      '::ffff:192.168.0.1',
      '1:2:3:4:5:6:7:8',
      '::2:3:4:5:6:7:8',
      '1000:1000:1000:1000:1000:1000:255.255.255.255',
    ],
    wrong: [
      '12345::',
      '1::d6::42',
      '1::2:192.168.256.1',
      '1:2:3:4:5:::8',
      '1:2:3:4:5:6:7',
      '1',
      '127.0.0.1',
      '1:2:3:4:1.2.3',
      ' ::1',
      'fe80::/64',
      'fe80::a%eth1',
      '100:100:100:100:100:100:255.255.255.255.255',
      ':2:3:4:5:6:7:8',
      '1:1:1:1:1:1:1:1:1',
      ':',
      '::laptop',
    ],
  },
  uri: {
    right: [
      'http://foo.bar/?baz=qux#quux',
      'http://foo.com/blah_(wikipedia)_blah#cite-1',
      "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
      'ldap://[2001:db8::7]/c=GB?objectClass?one',
      'mailto:John.Doe@example.com',
      'tel:+1-816-555-1212',
      'urn:oasis:names:specification:docbook:dtd:xml:4.1.2',
      'http://[v1.a:b]/',
      'a:',
      'file:///x',
    ],
    wrong: [
      '//foo.bar/?baz=qux#quux',
      '/abc',
      '\\\\WINDOWS\\fileshare',
      'abc',
      'http:// shouldfail.com',
      ':// should fail',
      'bar,baz:foo',
      'http://a^b',
      'http://a.b/{x}',
      'http://a.b/<x>',
      'http://a|b',
      'http://a.b/"x"',
      'http://a:80b/',
      'http://[::1',
      'http://a%zz',
      'http://ä.de/',
      'http://x/a[b',
      'http://x/#a#b',
    ],
  },
  uuid: {
    right: [
      '2eb8aa08-aa98-11ea-b4aa-73b441d16380',
      '2EB8AA08-AA98-11EA-B4AA-73B441D16380',
      '00000000-0000-0000-0000-000000000000',
    ],
    wrong: [
      '2eb8aa08-aa98-11ea-b4aa73b441d16380',
      '2eb8aa08aa9811eab4aa73b441d16380',
      '2eb8-aa08-aa98-11ea-b4aa73b44-1d16380',
      '{2eb8aa08-aa98-11ea-b4aa-73b441d16380}',
    ],
  },
};

test('formats take what is right and nothing else', () => {
  for (const [format, { right, wrong }] of Object.entries(table)) {
    for (const text of right)
      assert.equal(isOf(format as FormatName, text), true, `${format} ${text}`);
    for (const text of wrong)
      assert.equal(isOf(format as FormatName, text), false, `${format} ${text}`);
  }
});

test('every day of the calendar is a date, and no other', () => {
  for (const year of [0, 4, 100, 400, 1900, 2000, 2023, 2024, 9999]) {
    for (let month = 0; month <= 13; month += 1) {
      for (let day = 0; day <= 32; day += 1) {
        const [y, m, d] = [
          String(year).padStart(4, '0'),
          ...[month, day].map((one) => String(one).padStart(2, '0')),
        ];
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        assert.equal(isOf('date', `${y}-${m}-${d}`), isReal, `${y}-${m}-${d}`);
      }
    }
  }
});

test('a leap second is 23:59:60 in UTC, whatever the offset', () => {
  const two = (value: number): string => String(value).padStart(2, '0');
  const dice = createDice(7);
  for (let i = 0; i < 3000; i += 1) {
    const [offset, error] = [dice.under(1440), dice.pick([0, 0, 1, 60, 600, 1439])];
    const sign = dice.pick(['+', '-']);
    const local = (23 * 60 + 59 + (sign === '+' ? offset : -offset) + error + 2880) % 1440;
    const clock = (minutes: number): string =>
      `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    const time = `${clock(local)}:60${dice.pick(['', '.5'])}${sign}${clock(offset)}`;
    assert.equal(isOf('time', time), error === 0, time);
  }
});

/** What `compileText` takes for granted of a format alone: no state of it is dead, none was guessed. */
test('formats have no dead ends', () => {
  const alphabet = '0123456789abfghxyzABFTWPYDHMSZ+-_.:,;/?#@[]%"\\! ~é'.split('');
  for (const [format, machine] of machines) {
    assert.equal(machine.exact, true);
    assert.equal(machine.empty, false);
    for (let seed = 0; seed < 25; seed += 1) {
      const dice = createDice(seed);
      let state: object | null = machine.start;
      let text = '';
      for (let i = 0; i < 300 && state !== null; i += 1) {
        const from: object = state;
        const options = alphabet.filter((one) => machine.step(from, one.codePointAt(0)!) !== null);
        if (options.length === 0) break;
        const character = dice.pick(options);
        text += character;
        state = machine.step(from, character.codePointAt(0)!);
        if (i % 10 === 0) assert.ok(canFinish(machine, state!, alphabet), `${format}: ${text}`);
      }
      assert.ok(canFinish(machine, state!, alphabet), `${format}: ${text}`);
    }
  }
});

test('a host name is refused at the character that makes it too long', () => {
  const machine = machines.get('hostname')!;
  assert.notEqual(walk(machine, long), null);
  assert.equal(walk(machine, `${long}a`), null);
  const full = `${long}.${long}.${long}.${'a'.repeat(61)}`;
  assert.equal(accepts(machine, full), true);
  assert.equal(walk(machine, `${full}a`), null);
});
