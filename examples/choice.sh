#!/bin/sh
# An answer that is one of a few texts, one that matches a regex, and a regex that is refused.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

ask() {
  curl --silent --show-error "$URL/v1/chat/completions" \
    --header 'Content-Type: application/json' \
    --data "{
      \"model\": \"smollm2-135m\",
      \"messages\": [{\"role\": \"user\", \"content\": \"$1\"}],
      $2,
      \"temperature\": 0
    }"
  echo
}

ask 'I loved every minute of this film. Is this positive or negative?' \
  '"guided_choice": ["positive", "negative"]'
ask 'In which year did people first walk on the moon?' \
  '"guided_regex": "(19|20)[0-9]{2}"'
# What cannot be kept to is refused before anything is generated, and the error names it.
ask 'Say a word twice.' \
  '"guided_regex": "([a-z]+) \\1"'
