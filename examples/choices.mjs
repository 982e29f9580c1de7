// Several choices of one prompt, drawn with one seed: the same seed and request give the same draws.

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';

async function ask() {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'smollm2-135m',
      messages: [{ role: 'user', content: 'Name an animal.' }],
      n: 3,
      seed: 42,
      temperature: 1,
      stop: ['\n', '.'],
      max_tokens: 20,
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { choices } = await response.json();
  return choices.map(({ message }) => message.content);
}

const first = await ask();
for (const text of first) console.log(text);
const second = await ask();
console.log(second.every((text, at) => text === first[at]) ? 'the same again' : 'different');
