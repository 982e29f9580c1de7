"""A call as a stream, with the openai package for Python (pip install openai): the name comes first,
then its arguments piece by piece."""

import os

from openai import OpenAI

url = os.environ.get("PARLANCE_URL", "http://127.0.0.1:8000")
client = OpenAI(base_url=f"{url}/v1", api_key=os.environ.get("PARLANCE_API_KEY", "none"))

stream = client.chat.completions.create(
    model="smollm2-135m",
    messages=[{"role": "user", "content": "What is the weather in Paris?"}],
    tools=[
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "The current weather in a city",
                "parameters": {
                    "type": "object",
                    "properties": {"city": {"type": "string"}},
                    "required": ["city"],
                    "additionalProperties": False,
                },
            },
        }
    ],
    tool_choice={"type": "function", "function": {"name": "get_weather"}},
    max_tokens=60,
    temperature=0,
    stream=True,
)

for chunk in stream:
    choice = chunk.choices[0]
    for call in choice.delta.tool_calls or []:
        if call.function.name:
            print(f"{call.function.name} ({call.id.split('_')[0]}_...): ", end="")
        print(call.function.arguments or "", end="", flush=True)
    if choice.finish_reason:
        print(f"\n{choice.finish_reason}")
