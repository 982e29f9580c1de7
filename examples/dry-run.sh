#!/bin/sh
# What would be done with a request, without doing it: the rendered prompt, its tokens, the limit in
# force, and what becomes of each parameter. Nothing is generated.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

curl --silent --show-error --fail-with-body "$URL/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "smollm2-135m",
    "messages": [{"role": "user", "content": "Tell me about Paris."}],
    "top_k": 40,
    "min_p": 0.05,
    "max_tokens": 100000,
    "dry_run": true
  }'
echo
