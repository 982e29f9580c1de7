#!/bin/sh
# A question about a PDF. FILE names another one than examples/invoice.pdf.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"
FILE="${FILE:-examples/invoice.pdf}"

curl --silent --show-error --fail-with-body "$URL/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data @- <<END
{
  "model": "smollm2-135m",
  "messages": [{"role": "user", "content": [
    {"type": "file", "file": {"filename": "invoice.pdf", "file_data": "$(base64 <"$FILE" | tr -d '\n')"}},
    {"type": "text", "text": "What is the total of this invoice?"}
  ]}],
  "temperature": 0,
  "max_tokens": 60
}
END
echo
