// The log probability of each token, and what else the model considered at its place.

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';

const response = await fetch(`${url}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'smollm2-135m',
    messages: [{ role: 'user', content: 'What is the capital of France? Answer in one sentence.' }],
    temperature: 0,
    max_tokens: 10,
    logprobs: true,
    top_logprobs: 3,
  }),
});
if (!response.ok) throw new Error(await response.text());

const { choices } = await response.json();
for (const { token, logprob, top_logprobs } of choices[0].logprobs.content) {
  const percent = (value) => `${(100 * Math.exp(value)).toFixed(1)}%`;
  const others = top_logprobs.map((one) => `${JSON.stringify(one.token)} ${percent(one.logprob)}`);
  console.log(
    JSON.stringify(token).padEnd(14),
    percent(logprob).padStart(6),
    ' of',
    others.join(', '),
  );
}
