/** Against real servers on loopback; the resolver and the list of allowed addresses are the seam. */

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createFetcher, type FetcherOptions } from './create-fetcher.ts';

type Answer = RequestListener;

/** What the server does at each path; every test adds its own. */
const answers = new Map<string, Answer>();
const seen: IncomingMessage[] = [];
let server: Server;
let port = 0;

before(async () => {
  server = createServer((request, response) => {
    seen.push(request);
    const answer = answers.get(request.url?.split('?')[0] ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ({ port } = server.address() as AddressInfo);
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const loopback = [{ address: '127.0.0.1', family: 4 }];

const fetcherOf = (more: Partial<FetcherOptions> = {}) =>
  createFetcher({
    remote: true,
    allowHttp: true,
    allowPrivate: ['127.0.0.1'],
    resolve: () => Promise.resolve(loopback),
    ...more,
  });

const wish = { signal: new AbortController().signal, types: ['text/*'], param: 'messages[0]' };
const at = (path: string, host = 'files.example') => `http://${host}:${port}${path}`;

function serve(path: string, answer: Answer | string): string {
  const text = typeof answer === 'string' ? answer : null;
  answers.set(
    path,
    text === null
      ? (answer as Answer)
      : (_, response) => response.setHeader('content-type', 'text/plain; charset=utf-8').end(text),
  );
  return at(path);
}

const redirect =
  (location: string, status = 302): Answer =>
  (_, response) =>
    response.writeHead(status, { location }).end();

async function refuses(url: string, message: RegExp, more: Partial<FetcherOptions> = {}) {
  await assert.rejects(fetcherOf(more).fetch(url, wish), {
    reason: 'invalid_file',
    status: 400,
    param: 'messages[0]',
    message,
  });
}

describe('what is fetched', () => {
  it('has bytes, type and name, and was asked for plainly, by its own name', async () => {
    const url = serve('/a/some%20notes.txt', 'Hello');
    const fetched = await fetcherOf().fetch(`${url}?v=1#part`, wish);
    assert.equal(fetched.bytes.toString(), 'Hello');
    assert.equal(fetched.type, 'text/plain');
    assert.equal(fetched.name, 'some notes.txt');
    const { headers, url: asked } = seen.at(-1)!;
    assert.equal(asked, '/a/some%20notes.txt?v=1');
    assert.equal(headers.host, `files.example:${port}`);
    assert.equal(headers['accept-encoding'], 'identity');
    assert.equal(headers.cookie ?? headers.authorization ?? headers.referer, undefined);
  });

  it('is a data URL without any network', async () => {
    const closed = fetcherOf({ remote: false });
    const { bytes, type } = await closed.fetch('data:text/csv;base64,YSxi', wish);
    assert.deepEqual([bytes.toString(), type], ['a,b', 'text/csv']);
    await refuses(
      'data:image/png;base64,YQ==',
      /The file is image\/png; what can be read here is text\/\*/,
    );
    await refuses('data:text/plain;base64,*', /is not valid base64/);
  });

  it('is asked for once, while it is kept, whatever else is asked for', async () => {
    let count = 0;
    const url = serve('/counted', (_, response) => {
      response.setHeader('content-type', 'text/plain').end(String(++count));
    });
    const fetcher = fetcherOf();
    const textOf = async (one: string) => (await fetcher.fetch(one, wish)).bytes.toString();
    assert.equal(await textOf(url), '1');
    assert.equal(await textOf(`${url}?other`), '2');
    assert.equal(await textOf(`${url}#part`), '1');
    await assert.rejects(
      fetcher.fetch(url, { ...wish, types: ['application/pdf'] }),
      /text\/plain/,
    );
    assert.equal(count, 2);
    await refuses(
      serve('/later', (_, response) => response.writeHead(500).end()),
      /was 500/,
    );
  });
});

describe('what is switched off', () => {
  it('is named with the option that switches it on', async () => {
    await refuses('https://files.example/x', /--fetch-remote/, { remote: false });
    await refuses(at('/x'), /--fetch-http/, { allowHttp: false });
    for (const url of ['ftp://x/y', 'file:///etc/passwd', 'gopher://x', 'blob:x', 'x', '']) {
      await refuses(url, /neither a data URL nor an https URL/);
    }
    await refuses('http://user:secret@files.example/', /no user name and password/);
  });
});

describe('addresses', () => {
  const strict = { allowPrivate: [] };

  it('that are not public are refused in every spelling, and nothing connects', async () => {
    const url = serve('/secret', 'secret');
    const count = seen.length;
    const hosts = `127.0.0.1 2130706433 0x7f.1 0177.0.0.1 127.1 [::1] [::ffff:127.0.0.1]
      [::ffff:7f00:1] 0 0.0.0.0 169.254.169.254 [fd00:ec2::254] [64:ff9b::7f00:1] [2002:7f00:1::]`;
    for (const host of hosts.split(/\s+/)) {
      await refuses(url.replace('files.example', host), /not a public address/, strict);
    }
    await refuses(url, /not a public address/, strict);
    assert.equal(seen.length, count);
  });

  it('are all to be public where a name has several', async () => {
    const resolve = () => Promise.resolve([{ address: '8.8.8.8', family: 4 }, ...loopback]);
    await refuses(at('/secret'), /not a public address/, { ...strict, resolve });
  });

  it('are asked for once: what was checked is what is connected to', async () => {
    let local: string | undefined;
    const url = serve('/pinned', (request, response) => {
      local = request.socket.localAddress;
      response.setHeader('content-type', 'text/plain').end('pinned');
    });
    const told = [loopback, [{ address: '127.0.0.9', family: 4 }]];
    let asked = 0;
    const resolve = () => Promise.resolve(told[asked++] ?? []);
    const { bytes } = await fetcherOf({ resolve }).fetch(url, wish);
    assert.equal(bytes.toString(), 'pinned');
    assert.equal(asked, 1);
    assert.equal(local, '127.0.0.1');
  });

  it('that do not exist say so', async () => {
    const resolve = () => Promise.reject(new Error('ENOTFOUND 10.0.0.1'));
    await refuses(at('/x'), /files\.example:\d+ could not be fetched: there is no such host\.$/, {
      resolve,
    });
    await refuses(at('/x'), /no such host/, { resolve: () => Promise.resolve([]) });
  });
});

describe('redirects', () => {
  it('are followed three times, with the name of the last', async () => {
    serve('/end.txt', 'end');
    serve('/r3', redirect(at('/end.txt', 'other.example'), 307));
    serve('/r2', redirect('/r3', 301));
    const url = serve('/r1', redirect('/r2'));
    const fetched = await fetcherOf().fetch(url, wish);
    assert.deepEqual([fetched.bytes.toString(), fetched.name], ['end', 'end.txt']);
    await refuses(serve('/r0', redirect('/r1')), /more than 3 times/);
    await refuses(serve('/loop', redirect('/loop')), /more than 3 times/);
  });

  it('to another address are checked like the first', async () => {
    for (const location of [
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]/',
      'http://10.0.0.1/',
    ]) {
      await refuses(serve('/inward', redirect(location)), /not a public address/);
    }
    const names: string[] = [];
    const resolve = (name: string) => {
      names.push(name);
      return Promise.resolve(
        name === 'inside.example' ? [{ address: '10.0.0.1', family: 4 }] : loopback,
      );
    };
    const url = serve('/inward', redirect('http://inside.example/'));
    await refuses(url, /inside\.example is not a public address/, { resolve });
    assert.deepEqual(names, ['files.example', 'inside.example']);
  });

  it('lead to http and https only, without credentials', async () => {
    await refuses(serve('/odd', redirect('file:///etc/passwd')), /something other than https/);
    await refuses(serve('/odd', redirect('data:text/plain,x')), /something other than https/);
    await refuses(serve('/odd', redirect('http://a:b@files.example/')), /user name and password/);
    await refuses(serve('/odd', redirect('http://[')), /no URL/);
  });
});

describe('limits', () => {
  const plain = { 'content-type': 'text/plain' };

  it('hold for what is said and for what comes', async () => {
    const most = { maxBytes: 2_000_000 };
    const whole = serve('/whole', 'x'.repeat(2_000_000));
    assert.equal((await fetcherOf(most).fetch(whole, wish)).bytes.length, 2_000_000);
    await refuses(serve('/big', 'x'.repeat(2_000_001)), /larger than 2 MB/, most);
    const endless = serve('/endless', (_, response) => {
      response.writeHead(200, plain);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        response.once('drain', more);
      };
      more();
    });
    await refuses(endless, /larger than 2 MB/, most);
  });

  it('hold for the time of all of it', async () => {
    const brief = { maxMilliseconds: 50 };
    const silent = serve('/silent', () => {});
    const slow = serve('/slow', (_, response) => {
      response.writeHead(200, plain).write('x');
    });
    for (const url of [silent, slow]) await refuses(url, /took longer than 0\.05 s/, brief);
    const resolve = () => new Promise<never>(() => {});
    await refuses(silent, /took longer than 0\.05 s/, { ...brief, resolve });
  });

  it('end with the request', async () => {
    const leaving = new AbortController();
    const url = serve('/waiting', () => leaving.abort(new Error('left')));
    await assert.rejects(
      fetcherOf().fetch(url, { ...wish, signal: leaving.signal }),
      /^Error: left$/,
    );
    const gone = { ...wish, signal: AbortSignal.abort(new Error('gone')) };
    await assert.rejects(fetcherOf().fetch(url, gone), /^Error: gone$/);
  });
});

describe('answers that are no file', () => {
  it('are told', async () => {
    await refuses(at('/nothing'), /the answer was 404/);
    const compressed = serve('/gzip', (_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
        .end('x');
    });
    await refuses(compressed, /compressed/);
    const picture = serve('/png', (_, response) => {
      response.setHeader('content-type', 'image/png').end('x');
    });
    await refuses(picture, /The file is image\/png/);
    const cut = serve('/cut', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '10' });
      response.write('x', () => response.destroy());
    });
    await refuses(cut, /could not be fetched: the connection/);
  });
});
