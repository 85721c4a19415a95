"""An AI-Prompt-Shell service, with nothing but the standard library. Python 3.9 or later.

    from ai_prompt_shell import Client

    client = Client("http://127.0.0.1:8080")
    prompt = client.render("review.code_review", {"code": "x = 1"}, fallback="Review this code: x = 1")
    prompt.messages   # ready to be sent to a model

Answers are dictionaries; their types are in ai_prompt_shell_types.pyi, for type checkers.
"""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from ai_prompt_shell_types import (
        Approval, ApprovalDecision, ApprovalPage, ChatCompletion, ChatCompletionChunk, CreateSessionRequest,
        CreateTaskRequest, EntryPage, FeedbackAnswer, FeedbackBody, HistoryAnswer, LabelsAnswer, RenderedMessage,
        Session, SessionPage, StoredMessagePage, Task, TaskEvent, TaskPage, TaskSummary, Turn, TurnEvent, TurnRequest,
        VersionsAnswer, Warning,
    )

__all__ = ["Client", "ClientError", "Rendered", "ServerEvent"]

#: The service has begun nothing.
_REFUSED = {"rate_limited", "not_ready", "overloaded"}
#: Another attempt, or another process, may have the answer.
_PASSING = _REFUSED | {"connection_lost", "unreachable", "outcome_unknown", "state_unavailable",
                       "http_502", "http_503", "http_504"}
_LAST_OF_TURN = {"turn.completed", "turn.failed", "turn.cancelled"}
#: How often in a row a stream is opened without an event.
_PATIENCE = 5
#: The service says something every 15 seconds; a connection that is silent for longer than this is dead.
_SILENCE = 60.0


class ClientError(Exception):
    """What went wrong, as the service says it; ``unreachable`` when it does not answer at all, ``connection_lost`` for
    a stream that broke."""

    def __init__(self, code: str, message: str, status: Optional[int] = None, request_id: Optional[str] = None,
                 details: Any = None, retry_after: Optional[float] = None):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = status
        self.request_id = request_id
        self.details = details
        #: In seconds: how long to wait before the same request may succeed, where the service says so.
        self.retry_after = retry_after

    @property
    def is_callers(self) -> bool:
        """True for a mistake in the request, which an older answer would only hide."""
        return self.status in (400, 422)


@dataclass(frozen=True)
class Rendered:
    """A rendered prompt."""

    #: The text of a ``userPrompt``; None for messages.
    text: Optional[str]
    #: Ready to be sent to a model; a single text is what a user says.
    messages: List[RenderedMessage]
    warnings: List[Warning] = field(default_factory=list)
    #: Changes with the prompt and only with it; None for a fallback.
    revision: Optional[str] = None
    #: The version that served, where one did.
    version: Optional[int] = None
    #: ``service``: answered just now; ``last-good``: the last good answer; ``fallback``.
    source: str = "service"
    #: Why it is not the service's answer of now.
    error: Optional[ClientError] = None


class ServerEvent(NamedTuple):
    """One event of a stream."""

    #: Where to continue after it; empty where the event has none.
    id: str
    event: str
    data: Any


class Client:
    """Asks one service. Every method may raise ClientError.

    :param timeout: of one request with all its attempts, in seconds; chats and turns have 60
    :param remember: good answers that are kept for when the service is away; 0 keeps none
    """

    def __init__(self, url: str, key: Optional[str] = None, timeout: float = 5.0, remember: int = 200):
        self._connection = _Connection(url, key, timeout)
        self._remember = remember
        self._last: OrderedDict[str, Rendered] = OrderedDict()
        self.sessions = Sessions(self._connection)
        self.tasks = Tasks(self._connection)
        self.approvals = Approvals(self._connection)

    def render(self, id: str, variables: Optional[Mapping[str, Any]] = None, *, fallback: Optional[str] = None,
               scenario: Optional[str] = None, version: Optional[int] = None,
               label: Optional[str] = None) -> Rendered:
        """Renders a prompt. When the service is away, its last good answer to the same question serves, then the
        fallback. Raises ClientError for what the caller did wrong (400), and when there is nothing else to give.
        """
        question = json.dumps([id, version, label, scenario, variables], sort_keys=True)
        body: dict = {"variables": dict(variables or {})}
        if scenario is not None:
            body["scenario"] = scenario
        try:
            answer = self._rendered(["render", "prompts", id], body, {"version": version, "label": label})
        except ClientError as error:
            if error.is_callers:
                raise
            return self._instead(question, fallback, error)
        self._keep(question, answer)
        return answer

    def render_inline(self, body: Mapping[str, Any]) -> Rendered:
        """Renders a prompt that comes with the request: ``{"prompt": ..., "variables": ...}``."""
        return self._rendered(["render"], body, {})

    def chat(self, id: str, body: Optional[Mapping[str, Any]] = None, *, version: Optional[int] = None,
             label: Optional[str] = None, timeout: float = 60.0) -> ChatCompletion:
        """Asks a model with a prompt; the whole answer, as OpenAI's interface has it."""
        query = {"version": version, "label": label}
        return self._connection.json(["chat", "prompts", id], {**(body or {}), "stream": False}, query=query,
                                     timeout=timeout)

    def stream_chat(self, id: str, body: Optional[Mapping[str, Any]] = None, *, version: Optional[int] = None,
                    label: Optional[str] = None) -> Iterator[ChatCompletionChunk]:
        """The same as a stream: the chunks of OpenAI's interface."""
        query = {"version": version, "label": label}
        for event in self._connection.events(["chat", "prompts", id], {**(body or {}), "stream": True}, query=query):
            if event.data == "[DONE]":
                return
            yield json.loads(event.data)
        raise ClientError("connection_lost", "The answer ended before it was whole")

    def prompts(self, **query: Any) -> EntryPage:
        """One page of the prompts: ``q``, ``limit``, ``cursor``."""
        return self._connection.json(["prompts"], query=query)

    def agents(self, **query: Any) -> EntryPage:
        """One page of the agents: ``q``, ``limit``, ``cursor``."""
        return self._connection.json(["agents"], query=query)

    def versions(self, id: str) -> VersionsAnswer:
        """Versions of a prompt, the newest first."""
        return self._connection.json(["prompts", id, "versions"])

    def labels(self, id: str) -> LabelsAnswer:
        """Labels of a prompt, and what they serve."""
        return self._connection.json(["prompts", id, "labels"])

    def history(self, id: str, *, limit: Optional[int] = None) -> HistoryAnswer:
        """What was published, promoted and rolled back, the newest first."""
        return self._connection.json(["prompts", id, "history"], query={"limit": limit})

    def feedback(self, body: FeedbackBody) -> FeedbackAnswer:
        """Counts a rating of an answer."""
        return self._connection.json(["feedback"], body)

    def events(self, *, kind: Optional[str] = None, after: Optional[str] = None) -> Iterator[ServerEvent]:
        """Every change of the catalog, for as long as it is read."""
        def opened(behind: Optional[str]) -> Iterator[ServerEvent]:
            return self._connection.events(["events"], query={"kind": kind}, after=behind)
        for event in _follow(opened, lambda _event: False, after, patience=None):
            yield event._replace(data=json.loads(event.data))

    def _rendered(self, path: List[Any], body: Mapping[str, Any], query: Mapping[str, Any]) -> Rendered:
        # Not sent again: who renders has something else to use.
        answer, headers = self._connection.send(path, body, query=query, again=set())
        prompt = answer["rendered_prompt"]
        version = headers.get("x-prompt-version")
        return Rendered(*_text_and_messages(prompt), answer.get("warnings", []), headers.get("x-prompt-revision"),
                        None if version is None else int(version))

    def _instead(self, question: str, fallback: Optional[str], error: ClientError) -> Rendered:
        good = self._last.get(question)
        if good is not None:
            self._last.move_to_end(question)
            return replace(good, source="last-good", error=error)
        if fallback is None:
            raise error
        return Rendered(*_text_and_messages(fallback), source="fallback", error=error)

    def _keep(self, question: str, answer: Rendered) -> None:
        self._last[question] = answer
        self._last.move_to_end(question)
        while len(self._last) > self._remember:
            self._last.popitem(last=False)


class Sessions:
    """Conversations with agents."""

    def __init__(self, connection: _Connection):
        self._connection = connection

    def create(self, session: CreateSessionRequest, *, idempotency_key: Optional[str] = None) -> Session:
        return self._connection.json(["sessions"], session, key=idempotency_key or _random_key())

    def get(self, session: str) -> Session:
        return self._connection.json(["sessions", session])

    def list(self, **query: Any) -> SessionPage:
        """One page: ``limit``, ``cursor``."""
        return self._connection.json(["sessions"], query=query)

    def messages(self, session: str, **query: Any) -> StoredMessagePage:
        """One page: ``limit``, ``cursor``, ``context``."""
        return self._connection.json(["sessions", session, "messages"], query=query)

    def delete(self, session: str) -> None:
        self._connection.json(["sessions", session], method="DELETE")

    def turn(self, session: str, input: Union[str, TurnRequest], *, timeout: float = 60.0,
             idempotency_key: Optional[str] = None) -> Turn:
        """Says something and waits for the answer, or for the questions of a turn that is ``paused``. After a lost
        connection the same turn is asked for again."""
        return self._connection.json(["sessions", session, "turns"], _said(input),
                                     key=idempotency_key or _random_key(), timeout=timeout)

    def stream_turn(self, session: str, input: Union[str, TurnRequest], *,
                    idempotency_key: Optional[str] = None) -> Iterator[TurnEvent]:
        """Says something; the turn's events to its end or its pause. After a lost connection the stream continues
        behind the last event that was read."""
        turns = ["sessions", session, "turns"]
        body = {**_said(input), "stream": True}
        key = idempotency_key or _random_key()
        turn: Optional[int] = None

        def opened(after: Optional[str]) -> Iterator[ServerEvent]:
            if turn is None:
                return self._connection.events(turns, body, key=key)
            return self._connection.events([*turns, turn, "events"], after=after)

        def cut(failure: ClientError) -> None:
            nonlocal turn
            if turn is None and isinstance(failure.details, dict):
                turn = failure.details.get("turn")

        for event in _follow(opened, lambda event: event == "paused" or event in _LAST_OF_TURN, cut=cut):
            data = json.loads(event.data)
            if data["type"] == "turn.started":
                turn = data["turn"]
            yield data

    def get_turn(self, session: str, turn: int) -> Turn:
        return self._connection.json(["sessions", session, "turns", turn])

    def follow_turn(self, session: str, turn: int, *, after: Optional[str] = None) -> Iterator[TurnEvent]:
        """A turn's events to its end, across pauses and lost connections."""
        def opened(behind: Optional[str]) -> Iterator[ServerEvent]:
            return self._connection.events(["sessions", session, "turns", turn, "events"], after=behind)
        for event in _follow(opened, _LAST_OF_TURN.__contains__, after):
            yield json.loads(event.data)

    def cancel_turn(self, session: str, turn: int) -> Turn:
        return self._connection.json(["sessions", session, "turns", turn, "cancel"], method="POST")


class Tasks:
    """Work that is planned, carried out and judged."""

    def __init__(self, connection: _Connection):
        self._connection = connection

    def create(self, task: CreateTaskRequest, *, idempotency_key: Optional[str] = None) -> TaskSummary:
        """Starts a task; it continues when the client disconnects."""
        return self._connection.json(["tasks"], task, key=idempotency_key or _random_key())

    def get(self, task: str) -> Task:
        return self._connection.json(["tasks", task])

    def list(self, **query: Any) -> TaskPage:
        """One page: ``limit``, ``cursor``."""
        return self._connection.json(["tasks"], query=query)

    def follow(self, task: str, *, after: Optional[str] = None) -> Iterator[TaskEvent]:
        """A task's events to its end, across pauses and lost connections."""
        def opened(behind: Optional[str]) -> Iterator[ServerEvent]:
            return self._connection.events(["tasks", task, "events"], after=behind)
        for event in _follow(opened, lambda event: event.startswith("task."), after):
            yield json.loads(event.data)

    def cancel(self, task: str) -> TaskSummary:
        return self._connection.json(["tasks", task, "cancel"], method="POST")

    def resume(self, task: str) -> TaskSummary:
        return self._connection.json(["tasks", task, "resume"], method="POST")

    def delete(self, task: str) -> None:
        self._connection.json(["tasks", task], method="DELETE")


class Approvals:
    """What waits for a person."""

    def __init__(self, connection: _Connection):
        self._connection = connection

    def list(self, **query: Any) -> ApprovalPage:
        """Of one ``session``, one ``task``, or with ``status="pending"`` of the caller."""
        return self._connection.json(["approvals"], query=query)

    def decide(self, approval: str, decision: ApprovalDecision) -> Approval:
        """Resolves an approval; repeating the same decision succeeds."""
        return self._connection.json(["approvals", approval], decision, again=_PASSING)


class _Connection:
    """The way to one service: sends requests, again where that is safe, and reads its errors."""

    def __init__(self, url: str, key: Optional[str], timeout: float):
        if not re.match(r"https?://", url):
            raise ValueError(f"url must start with http:// or https://: write http://{url}")
        self.url = url.rstrip("/")
        self._timeout = timeout
        self._headers = {"x-api-shape": "1", **({} if key is None else {"authorization": f"Bearer {key}"})}

    def json(self, path: List[Any], body: Optional[Mapping[str, Any]] = None, **call: Any) -> Any:
        """The JSON of an answer; None for an answer without a body."""
        return self.send(path, body, **call)[0]

    def send(self, path: List[Any], body: Optional[Mapping[str, Any]] = None, **call: Any) -> tuple:
        """The JSON of an answer, and its headers."""
        def read(response: HTTPResponse) -> tuple:
            text = response.read()
            return json.loads(text) if text else None, response.headers
        return self._attempts(path, body, read, **call)

    def events(self, path: List[Any], body: Optional[Mapping[str, Any]] = None, **call: Any) -> Iterator[ServerEvent]:
        """The events of an answer."""
        with self._attempts(path, body, lambda response: response, silence=_SILENCE, **call) as response:
            try:
                for event in _read_events(response):
                    if event.event == "error":
                        raise _error_of(json.loads(event.data))
                    yield event
            except (OSError, HTTPException) as error:
                raise ClientError("connection_lost", f"The connection broke: {error}") from error

    def _attempts(self, path: List[Any], body: Optional[Mapping[str, Any]], read: Callable[[HTTPResponse], Any], *,
                  method: Optional[str] = None, query: Optional[Mapping[str, Any]] = None, key: Optional[str] = None,
                  after: Optional[str] = None, again: Optional[set] = None, timeout: Optional[float] = None,
                  silence: Optional[float] = None) -> Any:
        whole = timeout or self._timeout
        end = time.monotonic() + whole
        codes = (_PASSING if body is None or key else _REFUSED) if again is None else again
        headers = {**self._headers, **_present({"idempotency-key": key, "last-event-id": after})}
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode()
        request = Request(self.url + _path_of(path, query or {}), data, headers,
                          method=method or ("GET" if body is None else "POST"))
        attempt = 0
        while True:
            try:
                response = urlopen(request, timeout=silence or max(0.001, end - time.monotonic()))
                return read(response)
            except HTTPError as error:
                failure = _error_of_answer(error)
            except (URLError, TimeoutError, OSError, HTTPException, json.JSONDecodeError) as error:
                failure = ClientError("unreachable", f"{self.url} does not answer: {error}")
                failure.__cause__ = error
            wait = _wait_before(failure, attempt, codes)
            if wait is None or time.monotonic() + wait >= end:
                raise failure
            time.sleep(wait)
            attempt += 1


def _follow(opened: Callable[[Optional[str]], Iterator[ServerEvent]], is_last: Callable[[str], bool],
            after: Optional[str] = None, *, cut: Callable[[ClientError], None] = lambda failure: None,
            patience: Optional[int] = _PATIENCE) -> Iterator[ServerEvent]:
    """Events to the last one. A stream that breaks is opened again behind the last event that was read."""
    cuts = 0
    while True:
        try:
            for event in opened(after):
                cuts = 0
                after = event.id or after
                yield event
                if is_last(event.event):
                    return
            raise ClientError("connection_lost", "The stream ended before its last event")
        except ClientError as failure:
            wait = _wait_before(failure, cuts, _PASSING)
            if wait is None or (patience is not None and cuts >= patience):
                raise
            cut(failure)
        time.sleep(wait)
        cuts += 1


def _read_events(response: HTTPResponse) -> Iterator[ServerEvent]:
    fields: dict = {}
    data: List[str] = []
    for line in response:
        text = line.decode().rstrip("\r\n")
        if text == "":
            if data:
                yield ServerEvent(fields.get("id", ""), fields.get("event", "message"), "\n".join(data))
            fields, data = {}, []
            continue
        name, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            data.append(value)
        else:
            fields[name] = value


def _wait_before(failure: ClientError, attempt: int, codes: set) -> Optional[float]:
    """How long to wait before another attempt, in seconds; None for never."""
    if failure.code not in codes:
        return None
    if failure.retry_after is not None:
        return failure.retry_after
    # Of many clients that were cut at once, each comes back at a time of its own.
    return min(0.1 * 3 ** min(attempt, 10), 3.0) * random.uniform(0.75, 1.0)


def _path_of(path: List[Any], query: Mapping[str, Any]) -> str:
    fields = urlencode(_present(query))
    return "/api/" + "/".join(quote(str(part), safe="") for part in path) + (f"?{fields}" if fields else "")


def _present(fields: Mapping[str, Any]) -> dict:
    return {name: value for name, value in fields.items() if value is not None}


def _said(input: Union[str, TurnRequest]) -> dict:
    return {"input": input} if isinstance(input, str) else dict(input)


def _random_key() -> str:
    return str(uuid.uuid4())


def _text_and_messages(prompt: Any) -> Tuple[Optional[str], List[RenderedMessage]]:
    return (prompt, [{"role": "user", "content": prompt}]) if isinstance(prompt, str) else (None, prompt)


def _error_of_answer(response: HTTPError) -> ClientError:
    """Reads the error of an answer; one of a proxy has no body of ours."""
    try:
        body = json.load(response)
    except (ValueError, OSError, HTTPException):
        body = {}
    after = response.headers.get("retry-after", "")
    return _error_of(body, response.code, float(after) if after.isdigit() else None)


def _error_of(body: Any, status: Optional[int] = None, retry_after: Optional[float] = None) -> ClientError:
    error = body.get("error", {}) if isinstance(body, dict) else {}
    return ClientError(error.get("code", f"http_{status}"), error.get("message", f"The service answered {status}"),
                       status, body.get("request_id") if isinstance(body, dict) else None, error.get("details"),
                       retry_after)
