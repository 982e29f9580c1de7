"""Text as it is made, with the openai package for Python (pip install openai)."""

import os

from openai import OpenAI

url = os.environ.get("PARLANCE_URL", "http://127.0.0.1:8000")
client = OpenAI(base_url=f"{url}/v1", api_key=os.environ.get("PARLANCE_API_KEY", "none"))

stream = client.chat.completions.create(
    model="smollm2-135m",
    messages=[{"role": "user", "content": "Count to five."}],
    max_tokens=40,
    stream=True,
    stream_options={"include_usage": True},
)

for chunk in stream:
    # Every chunk has a choice; usage rides on the last one.
    print(chunk.choices[0].delta.content or "", end="", flush=True)
    if chunk.usage:
        print(f"\n{chunk.usage.completion_tokens} tokens, {chunk.choices[0].finish_reason}")
