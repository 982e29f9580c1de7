#!/bin/sh
# Raw text without a chat template: the model goes on where the prompt ends. On the chat route with
# `prompt`, and on the older /v1/completions.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

for route in chat/completions completions; do
  curl --silent --show-error --fail-with-body "$URL/v1/$route" \
    --header 'Content-Type: application/json' \
    --data '{
      "model": "smollm2-135m",
      "prompt": "Once upon a time",
      "temperature": 0.8,
      "seed": 7,
      "max_tokens": 30,
      "echo": true
    }'
  echo
done
