#!/bin/sh
# Texts of a grammar: a list in EBNF in the style of GBNF, and a sum in Lark.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

curl --silent --show-error --fail-with-body "$URL/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "smollm2-135m",
    "messages": [{"role": "user", "content": "List three fruits."}],
    "guided_grammar": "root ::= item item item\nitem ::= \"- \" [A-Z] [a-z]+ \"\\n\"",
    "temperature": 0
  }'
echo

curl --silent --show-error --fail-with-body "$URL/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "smollm2-135m",
    "messages": [{"role": "user", "content": "What is 12 plus 4?"}],
    "response_format": {
      "type": "grammar",
      "grammar": "start: sum \"=\" NUMBER\nsum: NUMBER (\"+\" NUMBER)+\nNUMBER: /[0-9]{1,3}/\n%ignore \" \""
    },
    "temperature": 0
  }'
echo
