"""The exception classes of the openai package for Python, and what Parlance says in them."""

import os

import openai

url = os.environ.get("PARLANCE_URL", "http://127.0.0.1:8000")
client = openai.OpenAI(base_url=f"{url}/v1", api_key=os.environ.get("PARLANCE_API_KEY", "none"))
messages = [{"role": "user", "content": "Hello"}]

try:
    client.chat.completions.create(model="smollm2-135m", messages=messages, temperature=9)
except openai.BadRequestError as error:
    print(error.status_code, error.param, error.body["message"])

try:
    client.chat.completions.create(model="no-such-model", messages=messages)
except openai.NotFoundError as error:
    print(error.status_code, error.param, error.body["message"])
