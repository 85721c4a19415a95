"""Prompts of an AI-Prompt-Shell service, with nothing but the standard library. Python 3.9 or later.

    from ai_prompt_shell import Client

    client = Client("http://127.0.0.1:8080")
    prompt = client.render("review.code_review", {"code": "x = 1"}, fallback="Review this code: x = 1")
    prompt.messages   # ready to be sent to a model
"""

import json
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any, Mapping, Optional
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

__all__ = ["Client", "ClientError", "Rendered"]


class ClientError(Exception):
    """What went wrong, as the service says it; ``unreachable`` when it does not answer at all."""

    def __init__(self, code: str, message: str, status: Optional[int] = None,
                 request_id: Optional[str] = None, details: Any = None):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = status
        self.request_id = request_id
        self.details = details

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
    messages: list
    warnings: list = field(default_factory=list)
    #: Changes with the prompt and only with it; None for a fallback.
    revision: Optional[str] = None
    #: ``service``: answered just now; ``last-good``: the last good answer; ``fallback``.
    source: str = "service"
    #: Why it is not the service's answer of now.
    error: Optional[ClientError] = None


class Client:
    """Asks one service.

    :param timeout: of one request, in seconds; a chat's is 60
    :param remember: good answers that are kept for when the service is away; 0 keeps none
    """

    def __init__(self, url: str, key: Optional[str] = None, timeout: float = 5.0, remember: int = 200):
        self._url = url.rstrip("/")
        self._timeout = timeout
        self._remember = remember
        self._last: "OrderedDict[str, Rendered]" = OrderedDict()
        self._headers = {"content-type": "application/json", "x-api-shape": "1"}
        if key is not None:
            self._headers["authorization"] = f"Bearer {key}"

    def render(self, id: str, variables: Optional[Mapping[str, Any]] = None, *,
               fallback: Optional[str] = None, scenario: Optional[str] = None) -> Rendered:
        """Renders a prompt. When the service is away, its last good answer to the same question serves, then the
        fallback. Raises ClientError for what the caller did wrong (400), and when there is nothing else to give.
        """
        question = json.dumps([id, scenario, variables], sort_keys=True)
        body = {"variables": dict(variables or {})}
        if scenario is not None:
            body["scenario"] = scenario
        try:
            answer = self._rendered(f"/api/render/prompts/{quote(id, safe='')}", body)
        except ClientError as error:
            if error.is_callers:
                raise
            return self._instead(question, fallback, error)
        self._keep(question, answer)
        return answer

    def render_inline(self, body: Mapping[str, Any]) -> Rendered:
        """Renders a prompt that comes with the request: ``{"prompt": ..., "variables": ...}``."""
        return self._rendered("/api/render", body)

    def chat(self, id: str, body: Optional[Mapping[str, Any]] = None) -> dict:
        """Asks a model with a prompt; the whole answer, as OpenAI's interface has it."""
        path = f"/api/chat/prompts/{quote(id, safe='')}"
        return self._send("POST", path, {**(body or {}), "stream": False}, timeout=60.0)[0]

    def prompts(self, **query: Any) -> dict:
        """One page of the prompts: ``q``, ``limit``, ``cursor``."""
        return self._send("GET", f"/api/prompts?{urlencode(query)}")[0]

    def _rendered(self, path: str, body: Mapping[str, Any]) -> Rendered:
        answer, headers = self._send("POST", path, body)
        prompt = answer["rendered_prompt"]
        text = prompt if isinstance(prompt, str) else None
        messages = prompt if text is None else [{"role": "user", "content": text}]
        return Rendered(text, messages, answer.get("warnings", []), headers.get("x-prompt-revision"))

    def _instead(self, question: str, fallback: Optional[str], error: ClientError) -> Rendered:
        good = self._last.get(question)
        if good is not None:
            self._last.move_to_end(question)
            return replace(good, source="last-good", error=error)
        if fallback is None:
            raise error
        return Rendered(fallback, [{"role": "user", "content": fallback}], source="fallback", error=error)

    def _keep(self, question: str, answer: Rendered) -> None:
        self._last[question] = answer
        self._last.move_to_end(question)
        while len(self._last) > self._remember:
            self._last.popitem(last=False)

    def _send(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None,
              timeout: Optional[float] = None) -> tuple:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._url + path, data, self._headers, method=method)
        try:
            with urlopen(request, timeout=timeout or self._timeout) as response:
                return json.load(response), response.headers
        except HTTPError as error:
            raise _error_of(error) from error
        except (URLError, TimeoutError, ConnectionError, json.JSONDecodeError) as error:
            raise ClientError("unreachable", f"{self._url} does not answer: {error}") from error


def _error_of(response: HTTPError) -> ClientError:
    """Reads the error of an answer; one of a proxy has no body of ours."""
    try:
        body = json.load(response)
    except ValueError:
        body = {}
    error = body.get("error", {}) if isinstance(body, dict) else {}
    request_id = body.get("request_id") if isinstance(body, dict) else None
    return ClientError(error.get("code", f"http_{response.code}"),
                       error.get("message", f"The service answered {response.code}"),
                       response.code, request_id, error.get("details"))
