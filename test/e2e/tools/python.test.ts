/** Functions and thinking with the official package for Python, as its users call it. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { model } from '../../support/ask.ts';
import { runCommand } from '../../support/run-command.ts';
import { cleanEnv, type ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';
import { weather } from './functions.ts';

const python = process.env['PARLANCE_TEST_PYTHON'];
const skip =
  python === undefined ? 'NO PYTHON: PARLANCE_TEST_PYTHON names no Python with openai' : false;

const folder = mkdtempSync(join(tmpdir(), 'parlance-python-'));
let server: ServerProcess;

before(async () => {
  server = await sharedServer();
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Prints one JSON object. */
const program = `
import json, os
import openai
client = openai.OpenAI(base_url=os.environ["URL"], api_key="any", max_retries=0)
tools = [json.loads(os.environ["TOOL"])]
asked = [{"role": "user", "content": "What is the weather in Paris?"}]
basic = dict(model=os.environ["MODEL"], temperature=0, max_tokens=200, tools=tools)
named = {"type": "function", "function": {"name": "get_weather"}}

first = client.chat.completions.create(messages=asked, tool_choice=named, **basic)
message = first.choices[0].message
call = message.tool_calls[0]

with client.chat.completions.stream(messages=asked, tool_choice=named, **basic) as stream:
    events = [event.type for event in stream]
    streamed = stream.get_final_completion().choices[0]

result = {"role": "tool", "tool_call_id": call.id, "content": '{"temperature": 18}'}
second = client.chat.completions.create(messages=asked + [message, result], tool_choice="none", **basic)

try:
    bad = {"type": "function", "function": {"name": "twice", "strict": True, "parameters": {"type": "object", "properties": {"w": {"type": "string", "pattern": "(a)\\\\1"}}}}}
    client.chat.completions.create(messages=asked, **{**basic, "tools": [bad]})
    refusal = None
except openai.BadRequestError as error:
    refusal = {"param": error.param, "message": str(error)}

print(json.dumps({
    "finish": first.choices[0].finish_reason,
    "name": call.function.name,
    "arguments": json.loads(call.function.arguments),
    "events": sorted(set(events)),
    "streamed": {"finish": streamed.finish_reason, "arguments": json.loads(streamed.message.tool_calls[0].function.arguments)},
    "answer": second.choices[0].message.content,
    "refusal": refusal,
}))
`;

interface Printed {
  readonly finish: string;
  readonly name: string;
  readonly arguments: { readonly city: string; readonly unit: string };
  readonly events: readonly string[];
  readonly streamed: { readonly finish: string; readonly arguments: unknown };
  readonly answer: string;
  readonly refusal: { readonly param: string; readonly message: string };
}

it('calls, streams a call, sends its result back, and sees what is refused', { skip }, async () => {
  const path = join(folder, 'tools.py');
  writeFileSync(path, program);
  const env = cleanEnv({ URL: `${server.url}/v1`, MODEL: model, TOOL: JSON.stringify(weather) });
  const options = { cwd: folder, env, timeoutMs: 120_000 };
  const { code, output } = await runCommand(python ?? '', [path], options);
  assert.equal(code, 0, output);
  const printed = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Printed;
  assert.equal(printed.finish, 'tool_calls');
  assert.equal(printed.name, 'get_weather');
  assert.ok(['celsius', 'fahrenheit'].includes(printed.arguments.unit));
  assert.ok(printed.events.includes('tool_calls.function.arguments.delta'), output);
  assert.deepEqual(printed.streamed, { finish: 'tool_calls', arguments: printed.arguments });
  assert.ok(printed.answer.length > 0);
  assert.equal(printed.refusal.param, 'tools');
  assert.match(printed.refusal.message, /backreference/);
});
