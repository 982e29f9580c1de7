"""An answer as a Pydantic model, with the openai package for Python (pip install openai)."""

import os

from openai import OpenAI
from pydantic import BaseModel, Field

url = os.environ.get("PARLANCE_URL", "http://127.0.0.1:8000")
client = OpenAI(base_url=f"{url}/v1", api_key=os.environ.get("PARLANCE_API_KEY", "none"))


class Person(BaseModel):
    name: str
    age: int = Field(ge=0, le=120)
    city: str


answer = client.chat.completions.parse(
    model="smollm2-135m",
    messages=[
        {
            "role": "user",
            "content": "Extract the person: Maria is 34 years old and lives in Lisbon.",
        }
    ],
    response_format=Person,
    max_tokens=100,
    temperature=0,
)

person = answer.choices[0].message.parsed
print(repr(person))
print(f"{person.name}, {person.age}")
