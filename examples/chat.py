"""One question, one answer, with the openai package for Python (pip install openai).

Parameters that the package does not know, such as top_k, go through extra_body.
"""

import os

from openai import OpenAI

url = os.environ.get("PARLANCE_URL", "http://127.0.0.1:8000")
client = OpenAI(base_url=f"{url}/v1", api_key=os.environ.get("PARLANCE_API_KEY", "none"))

answer = client.chat.completions.create(
    model="smollm2-135m",
    messages=[
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "What is the capital of France? Answer in one sentence."},
    ],
    max_tokens=40,
    temperature=0.7,
    seed=1,
    extra_body={"top_k": 20, "min_p": 0.05, "repetition_penalty": 1.05},
)

print(answer.choices[0].message.content)
print(f"{answer.usage.prompt_tokens} + {answer.usage.completion_tokens} tokens")
