// A sentence in the model's own words, and behind it JSON of a schema between two tags.

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';

const city = {
  type: 'object',
  properties: { capital: { type: 'string' } },
  required: ['capital'],
  additionalProperties: false,
};

const response = await fetch(`${url}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'smollm2-135m',
    messages: [{ role: 'user', content: 'What is the capital of France? Answer in one sentence.' }],
    structural_tag: {
      type: 'structural_tag',
      format: {
        type: 'sequence',
        elements: [
          { type: 'regex', pattern: '[A-Z][^.\\n]*\\.\\n' },
          {
            type: 'tag',
            begin: '<answer>',
            content: { type: 'json_schema', json_schema: city },
            end: '</answer>',
          },
        ],
      },
    },
    temperature: 0,
    max_tokens: 80,
  }),
});
if (!response.ok) throw new Error(await response.text());

const { choices } = await response.json();
const text = choices[0].message.content;
console.log(text);
console.log(JSON.parse(/<answer>(.*)<\/answer>/s.exec(text)[1]));
