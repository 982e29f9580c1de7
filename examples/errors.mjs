// The error classes of the official openai package, and what Parlance says in them.

import OpenAI, { APIError } from 'openai';

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';
const client = new OpenAI({
  baseURL: `${url}/v1`,
  apiKey: process.env.PARLANCE_API_KEY ?? 'none',
});
const messages = [{ role: 'user', content: 'Hello' }];

const mistakes = {
  'a value out of range': { model: 'smollm2-135m', messages, temperature: 9 },
  'a misspelt field': { model: 'smollm2-135m', messages, temprature: 1 },
  'a parameter that this target lacks': { model: 'smollm2-135m', messages, verbosity: 'low' },
  'a model that is not there': { model: 'no-such-model', messages },
};

for (const [what, body] of Object.entries(mistakes)) {
  try {
    await client.chat.completions.create(body);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    console.log(`${what}: ${error.constructor.name} ${error.status} ${error.error.reason}`);
    console.log(`  ${error.error.message}`);
  }
}
