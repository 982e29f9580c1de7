#!/bin/sh
# A question about documents that come with it. With dry_run the prompt is shown and nothing generated.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

for DRY in true false; do
  curl --silent --show-error --fail-with-body "$URL/v1/chat/completions" \
    --header 'Content-Type: application/json' \
    --data "{
      \"model\": \"smollm2-135m\",
      \"messages\": [{\"role\": \"user\", \"content\": \"When was the lighthouse built?\"}],
      \"documents\": [
        {\"title\": \"The Heron Lighthouse\", \"text\": \"The lighthouse was built in 1884 on the island of Skarn.\"}
      ],
      \"temperature\": 0,
      \"max_tokens\": 60,
      \"dry_run\": $DRY
    }"
  echo
done
