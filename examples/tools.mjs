// A whole round with a function, with the official openai package: the model calls it, we run it, and
// the model answers with what it said.

import OpenAI from 'openai';

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';
const client = new OpenAI({
  baseURL: `${url}/v1`,
  apiKey: process.env.PARLANCE_API_KEY ?? 'none',
});

const functions = {
  get_weather: ({ city }) => ({ city, celsius: 18, sky: 'sunny' }),
};

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The current weather in a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
    },
  },
];

const messages = [
  { role: 'system', content: 'You are a helpful assistant. Answer in one sentence.' },
  { role: 'user', content: 'What is the weather in Paris?' },
];

async function ask(choice) {
  const answer = await client.chat.completions.create({
    model: 'smollm2-135m',
    messages,
    tools,
    // A small model seldom calls a function by itself.
    tool_choice: choice,
    parallel_tool_calls: false,
    max_tokens: 80,
    temperature: 0,
  });
  return answer.choices[0].message;
}

const called = await ask('required');
messages.push(called);
for (const { id, function: call } of called.tool_calls) {
  const result = functions[call.name](JSON.parse(call.arguments));
  console.log(call.name, JSON.parse(call.arguments), '->', result);
  messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(result) });
}

const { content } = await ask('none');
console.log(content);
