#!/bin/sh
# The same as events while the answer is made, with usage on the last chunk. Ends with [DONE].
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

curl --silent --show-error --fail-with-body --no-buffer "$URL/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "smollm2-135m",
    "messages": [{"role": "user", "content": "Write a haiku about the sea."}],
    "max_tokens": 40,
    "stream": true,
    "stream_options": {"include_usage": true}
  }'
