# A client that openapi-generator made of openapi.yaml: every answer is read by its types.
import json
import os

import shell

configuration = shell.Configuration(host=os.environ["SERVICE_URL"])
client = shell.ApiClient(configuration)


def failure_of(call):
    try:
        call()
    except shell.ApiException as error:
        # The generator leaves bodies of errors as text.
        class Answer:
            data = error.body

        return client.deserialize(Answer, "Error")
    raise AssertionError("no error")


prompts = shell.CatalogApi(client).list_prompts()
assert "t.greeting" in [prompt.id for prompt in prompts.items]

render = shell.RenderApi(client)
rendered, status, headers = render.render_prompt_with_http_info(
    "t.greeting", render_request=shell.RenderRequest(variables={"name": "Ada"})
)
assert isinstance(rendered, shell.RenderResult) and rendered.rendered_prompt == "Hello Ada."
assert status == 200 and headers["x-prompt-revision"]

failure = failure_of(lambda: render.render_prompt("t.greeting", render_request=shell.RenderRequest()))
assert failure.error.code == "missing_variables" and failure.request_id

chat = shell.ChatApi(client).chat_with_prompt("t.greeting", chat_request=shell.ChatRequest(variables={"name": "Ada"}))
assert chat.choices[0]["message"]["content"] == "You said: Hello Ada."

sessions = shell.SessionsApi(client)
session = sessions.create_session(
    idempotency_key="python-smoke", create_session_request=shell.CreateSessionRequest(agent="t.helper")
)
turn = sessions.run_turn(session.id, turn_request=shell.TurnRequest(input="Why?"))
assert isinstance(turn, shell.Turn) and turn.status == "completed" and turn.usage is not None

events = sessions.follow_turn(session.id, turn.turn, _preload_content=False).data.decode()
types = [json.loads(line[len("data:") :])["type"] for line in events.splitlines() if line.startswith("data:")]
assert types[0] == "turn.started" and types[-1] == "turn.completed", types

failure = failure_of(lambda: shell.TasksApi(client).get_task("none"))
assert failure.error.code == "task_not_found"
