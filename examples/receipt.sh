#!/bin/sh
# Honoured, or refused with a reason: a parameter that the target does not have is a 400 that names
# it; with x-parlance-unsupported the request goes on, and the receipt says what was left out.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

ask() {
  curl --silent --show-error --include "$URL/v1/chat/completions" \
    --header 'Content-Type: application/json' "$@" \
    --data '{
      "model": "smollm2-135m",
      "messages": [{"role": "user", "content": "Say hello."}],
      "top_k": 20,
      "verbosity": "low",
      "max_tokens": 10
    }' | grep -i -E '^HTTP|^x-parlance|"error"'
}

ask
ask --header 'x-parlance-unsupported: drop'
