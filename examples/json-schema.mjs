// JSON that matches a schema, with the official openai package, as a stream: what has arrived is always
// the beginning of a right answer.

import OpenAI from 'openai';

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';
const client = new OpenAI({
  baseURL: `${url}/v1`,
  apiKey: process.env.PARLANCE_API_KEY ?? 'none',
});

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 0, maximum: 120 },
    city: { type: 'string' },
  },
  required: ['name', 'age', 'city'],
  additionalProperties: false,
};

const stream = await client.chat.completions.create({
  model: 'smollm2-135m',
  messages: [
    { role: 'user', content: 'Extract the person: Maria is 34 years old and lives in Lisbon.' },
  ],
  response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
  max_tokens: 100,
  temperature: 0,
  stream: true,
});

let text = '';
let reason = null;
for await (const chunk of stream) {
  const [choice] = chunk.choices;
  text += choice.delta.content ?? '';
  process.stdout.write(choice.delta.content ?? '');
  reason = choice.finish_reason ?? reason;
}
console.log();
// Only a text that was cut off by max_tokens does not match the schema.
if (reason === 'length') throw new Error('the answer is incomplete');
console.log(Object.keys(JSON.parse(text)));
