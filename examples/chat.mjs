// One question, one answer, with the official openai package (npm install openai). Parameters that
// its types do not know, such as top_k, are sent all the same.

import OpenAI from 'openai';

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';
const client = new OpenAI({
  baseURL: `${url}/v1`,
  apiKey: process.env.PARLANCE_API_KEY ?? 'none',
});

const { data: answer, response } = await client.chat.completions
  .create({
    model: 'smollm2-135m',
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: 'What is the capital of France? Answer in one sentence.' },
    ],
    temperature: 0.7,
    seed: 1,
    max_tokens: 40,
    top_k: 20,
  })
  .withResponse();

console.log(answer.choices[0].message.content);
console.log(answer.usage);
console.log(response.headers.get('x-parlance-receipt'));
