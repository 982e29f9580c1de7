import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { admit, parseChatRequest } from '../../../contract/index.ts';
import { externalCapabilities } from '../../external/capabilities.ts';
import { toWireRequest } from './wire-request.ts';

function sent(body: string, declared: readonly string[] | 'all' = []): string {
  const request = parseChatRequest(body, 'drop');
  return toWireRequest(
    admit(request, externalCapabilities(declared), 'external:x').request,
    'up/m',
  );
}

const messages = '"messages":[{"role":"user","content":"hi"}]';

describe('toWireRequest', () => {
  it('keeps the bytes of what it passes on', () => {
    const body = `{"model":"mine",${messages},"seed":9007199254740993,"temperature":0.70,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"10":1,"2":2}}}}`;
    assert.equal(sent(body), body.replace('"mine"', '"up/m"'));
  });

  it('leaves out neutral values that OpenAI does not know, and nulls', () => {
    const body = `{"model":"mine",${messages},"top_k":-1,"min_p":0,"temperature":1,"stop":null,"ignore_eos":false}`;
    assert.equal(sent(body), `{"model":"up/m",${messages},"temperature":1}`);
  });

  it('leaves out what was dropped and keeps what was declared', () => {
    const body = `{"model":"mine",${messages},"top_k":5,"min_p":0.1,"nonsense":1}`;
    assert.equal(sent(body, ['top_k']), `{"model":"up/m",${messages},"top_k":5}`);
  });

  it('always asks a stream for its usage, and for continuous usage only where it is known', () => {
    const body = `{"model":"mine",${messages},"stream":true,"stream_options":{"continuous_usage_stats":true}}`;
    assert.match(sent(body), /"stream_options":\{"include_usage":true\}/);
    assert.match(
      sent(body, 'all'),
      /"stream_options":\{"include_usage":true,"continuous_usage_stats":true\}/,
    );
  });

  it('keeps our own fields at home', () => {
    const body = `{"model":"mine",${messages},"episode_id":"01977ed9-7492-7b70-8347-9564aeb44a24","user":"u"}`;
    assert.equal(sent(body), `{"model":"up/m",${messages},"user":"u"}`);
  });
});
