#!/bin/sh
# One question, one answer, with curl. Prints the JSON answer.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

curl --silent --show-error --fail-with-body "$URL/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "smollm2-135m",
    "messages": [
      {"role": "system", "content": "You are a helpful assistant."},
      {"role": "user", "content": "What is the capital of France? Answer in one sentence."}
    ],
    "temperature": 0,
    "max_tokens": 40
  }'
echo
