#!/bin/sh
# A chat template of the request in place of the model's own, with a variable for it, shown by dry_run.
URL="${PARLANCE_URL:-http://127.0.0.1:8000}"

curl --silent --show-error --fail-with-body "$URL/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data @- <<'END'
{
  "model": "smollm2-135m",
  "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"},
               {"role": "user", "content": "How are you?"}],
  "chat_template": "{% for message in messages %}{{ names[message.role] }}: {{ message.content }}\n{% endfor %}{% if add_generation_prompt %}{{ names.assistant }}:{% endif %}",
  "chat_template_kwargs": {"names": {"user": "Ada", "assistant": "Ben"}},
  "max_tokens": 20,
  "dry_run": true
}
END
echo
