// Text as it is made, and stopping in the middle: after 20 pieces the request is aborted, and the
// server frees its slot at once.

import OpenAI from 'openai';

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';
const client = new OpenAI({
  baseURL: `${url}/v1`,
  apiKey: process.env.PARLANCE_API_KEY ?? 'none',
});

const stream = await client.chat.completions.create({
  model: 'smollm2-135m',
  messages: [{ role: 'user', content: 'Tell me a long story about a cat.' }],
  stream: true,
});

let pieces = 0;
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0].delta.content ?? '');
  pieces += 1;
  if (pieces === 20) stream.controller.abort();
}
console.log(`\n(stopped after ${pieces} pieces)`);
