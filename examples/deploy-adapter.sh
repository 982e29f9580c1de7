#!/bin/sh
# Puts a LoRA adapter on a model that is already served, asks the model with and without it, and takes
# it away again. ADAPTER is the file (GGUF, on the server's machine), BASE the deployment that it changes.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"
BASE="${BASE:-smollm2-135m}"
NAME=example-adapter
: "${ADAPTER:?set ADAPTER to the path of a LoRA adapter as a GGUF file}"
set -e

curl --silent --show-error --fail-with-body "$URL/deploy" \
  --header 'Content-Type: application/json' \
  --data "{\"name\": \"$NAME\", \"adapter_of\": \"$BASE\", \"path\": \"$ADAPTER\"}"
echo

for MODEL in "$BASE" "$NAME" "$BASE:$NAME"; do
  curl --silent --show-error --fail-with-body --retry 5 "$URL/v1/chat/completions" \
    --header 'Content-Type: application/json' \
    --data "{
      \"model\": \"$MODEL\",
      \"messages\": [{\"role\": \"user\", \"content\": \"Write a short story about a dragon.\"}],
      \"temperature\": 0,
      \"max_tokens\": 12
    }"
  echo
done

curl --silent --show-error --fail-with-body --request DELETE "$URL/deploy/$NAME"
echo
