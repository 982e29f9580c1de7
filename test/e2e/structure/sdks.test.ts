/** Structured answers as the official packages ask for them: JavaScript and Python. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import OpenAI, { BadRequestError } from 'openai';
import { model } from '../../support/ask.ts';
import {
  checkJson,
  constraintCases,
  person,
  personSchema,
} from '../../support/constraint-cases.ts';
import { runCommand } from '../../support/run-command.ts';
import { cleanEnv, type ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';

const python = process.env['PARLANCE_TEST_PYTHON'];
const withoutPython =
  python === undefined && 'NO PYTHON: PARLANCE_TEST_PYTHON names no Python with openai';

let server: ServerProcess;
let client: OpenAI;

const messages = [{ role: 'user' as const, content: person }];
const basic = { model, messages, temperature: 1, seed: 3, max_tokens: 300 };
const responseFormat = {
  type: 'json_schema' as const,
  json_schema: { name: 'person', strict: true, schema: personSchema },
};

/** `json` is printed by each step: what was parsed, and at the end that an error was caught. */
const program = (url: string): string => `
import json
from typing import List, Literal
from openai import BadRequestError, OpenAI
from pydantic import BaseModel, Field

client = OpenAI(base_url=${JSON.stringify(`${url}/v1`)}, api_key="any", max_retries=0)
basic = dict(model="${model}", temperature=1, seed=3, max_tokens=300,
             messages=[{"role": "user", "content": "${person}"}])

class Person(BaseModel):
    name: str = Field(max_length=20)
    age: int = Field(ge=0, le=120)
    colours: List[Literal["red", "green", "blue"]] = Field(max_length=3)

parsed = client.chat.completions.parse(response_format=Person, **basic).choices[0].message.parsed
print("parsed", parsed.model_dump_json())

with client.chat.completions.stream(response_format=Person, **basic) as stream:
    for event in stream:
        pass
    streamed = stream.get_final_completion().choices[0].message.parsed
print("same", streamed == parsed)

choice = client.chat.completions.create(
    extra_body={"guided_choice": ["yes", "no"]}, **basic).choices[0].message.content
print("choice", choice)

date = client.completions.create(model="${model}", prompt="The date is ", temperature=1, seed=1,
    extra_body={"guided_regex": "(19|20)[0-9]{2}-(0[1-9]|1[0-2])"}).choices[0].text
print("date", date)

try:
    client.chat.completions.create(extra_body={"guided_regex": "("}, **basic)
except BadRequestError as error:
    print("refused", error.status_code, error.type)
`;

describe('structured answers through the official packages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-structure-'));
  before(async () => {
    server = await sharedServer();
    client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('create: every spelling', async () => {
    for (const { name, fields, question, bounded, check } of constraintCases) {
      const answer = await client.chat.completions.create({
        ...basic,
        messages: [{ role: 'user', content: question }],
        ...fields,
      });
      const [choice] = answer.choices;
      assert.ok(choice?.finish_reason === 'stop' || !bounded, name);
      if (choice?.finish_reason === 'stop') check(choice.message.content ?? '');
    }
  });

  it('parse', async () => {
    const answer = await client.chat.completions.parse({
      ...basic,
      response_format: responseFormat,
    });
    const [choice] = answer.choices;
    checkJson(personSchema)(JSON.stringify(choice?.message.parsed));
    assert.equal(choice?.message.refusal ?? null, null);
  });

  it('stream, with its own assembly and parsing', async () => {
    const stream = client.chat.completions.stream({ ...basic, response_format: responseFormat });
    let text = '';
    stream.on('content', (delta, snapshot) => {
      text += delta;
      assert.equal(snapshot, text);
    });
    const final = await stream.finalChatCompletion();
    const [choice] = final.choices;
    checkJson(personSchema)(text);
    assert.deepEqual(choice?.message.parsed, JSON.parse(text));
    const whole = await client.chat.completions.create({
      ...basic,
      response_format: responseFormat,
    });
    assert.equal(whole.choices[0]?.message.content, text);
  });

  it('a schema that makes no sense is a BadRequestError', async () => {
    const schema = { type: 'string', minLength: 3, maxLength: 2 };
    await assert.rejects(
      client.chat.completions.create({
        ...basic,
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      }),
      (error) => error instanceof BadRequestError && /Length/.test(error.message),
    );
  });

  it('Python: parse, stream and extra_body', { skip: withoutPython }, async () => {
    const path = join(folder, 'structure.py');
    writeFileSync(path, program(server.url));
    const options = { cwd: folder, env: cleanEnv(), timeoutMs: 120_000 };
    const { code, output } = await runCommand(python ?? '', [path], options);
    assert.equal(code, 0, output);
    assert.match(output, /parsed \{"name":/);
    assert.match(output, /same True/);
    assert.match(output, /choice (?:yes|no)\n/);
    assert.match(output, /date (?:19|20)\d\d-\d\d\n/);
    assert.match(output, /refused 400 invalid_request_error/);
  });
});
