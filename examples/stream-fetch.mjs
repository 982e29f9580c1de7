// Server-sent events with nothing but fetch: events end with an empty line, and a network chunk may
// end anywhere, so what is left over waits for the next one.

const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8000';

const response = await fetch(`${url}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'smollm2-135m',
    messages: [{ role: 'user', content: 'Count to five.' }],
    max_tokens: 40,
    stream: true,
  }),
});
if (!response.ok) throw new Error(await response.text());

let rest = '';
for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  const events = (rest + text).split('\n\n');
  rest = events.pop();
  for (const event of events) {
    // A line that begins with a colon is a comment that keeps the connection open.
    if (!event.startsWith('data: ')) continue;
    const data = event.slice('data: '.length);
    if (data === '[DONE]') break;
    const chunk = JSON.parse(data);
    if (chunk.error) throw new Error(chunk.error.message);
    process.stdout.write(chunk.choices[0].delta.content ?? '');
  }
}
console.log();
