"""The official client of OpenAI for Python."""

import os

from openai import NotFoundError, OpenAI

client = OpenAI(base_url=os.environ["SERVICE_URL"] + "/v1", api_key="none", max_retries=0)
messages = [{"role": "user", "content": "Hello"}]

models = {model.id for model in client.models.list()}
assert {"prompt:writing.role_question", "agent:t.sums"} <= models

whole = client.chat.completions.create(model="scripted", messages=messages)
assert whole.choices[0].message.content == "You said: Hello"

stream = client.chat.completions.create(model="scripted", messages=messages, stream=True)
text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
assert text == "You said: Hello"

prompt = client.chat.completions.create(
    model="prompt:writing.role_question",
    messages=[],
    extra_body={"variables": {"question": "Why?"}},
)
assert "Why?" in prompt.choices[0].message.content

agent = client.chat.completions.create(
    model="agent:t.sums", messages=[{"role": "user", "content": 'use sum {"a":2,"b":3}'}]
)
assert agent.choices[0].message.content.startswith("The tool says: ")

tools = [{"type": "function", "function": {"name": "city_of", "parameters": {"type": "object"}}}]
asking = [{"role": "user", "content": "use city_of {}"}]
called = client.chat.completions.create(model="scripted", messages=asking, tools=tools).choices[0].message
answer = {"role": "tool", "tool_call_id": called.tool_calls[0].id, "content": "Bonn"}
told = client.chat.completions.create(model="scripted", messages=[*asking, called, answer], tools=tools)
assert told.choices[0].message.content == "The tool says: Bonn"

response = client.responses.create(model="scripted", input="Hello")
assert response.output_text == "You said: Hello"

stored = client.responses.create(
    model="scripted", prompt={"id": "writing.role_question", "variables": {"question": "Why?"}}
)
assert "Why?" in stored.output_text

try:
    client.chat.completions.create(model="prompt:no.such", messages=messages)
except NotFoundError as error:
    assert error.code == "prompt_not_found", error.code
else:
    raise AssertionError("an unknown prompt has to be an error")
