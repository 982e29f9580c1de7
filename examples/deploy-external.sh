#!/bin/sh
# Puts a server that already speaks the OpenAI dialect behind a name of this one, asks it, and takes
# the name away again. UPSTREAM_URL and UPSTREAM_MODEL say which; without them it is this server itself.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"
UPSTREAM_URL="${UPSTREAM_URL:-$URL/v1}"
UPSTREAM_MODEL="${UPSTREAM_MODEL:-smollm2-135m}"
NAME=example-upstream
set -e

curl --silent --show-error --fail-with-body "$URL/deploy" \
  --header 'Content-Type: application/json' \
  --data "{
    \"name\": \"$NAME\",
    \"runtime\": \"external\",
    \"base_url\": \"$UPSTREAM_URL\",
    \"model\": \"$UPSTREAM_MODEL\",
    \"options\": {\"parameters\": [\"top_k\"]}
  }"
echo

# It is made in the background; --retry waits while a request is told 503 and when to come back.
curl --silent --show-error --fail-with-body --retry 5 "$URL/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data "{
    \"model\": \"$NAME\",
    \"messages\": [{\"role\": \"user\", \"content\": \"Say hello.\"}],
    \"top_k\": 20,
    \"max_tokens\": 10
  }"
echo

curl --silent --show-error --fail-with-body --request DELETE "$URL/deploy/$NAME"
echo
