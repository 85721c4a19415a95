"""Stands in for OpenAI's client where it is not installed: the one call of the documents, sent as that client sends it."""
import json
import urllib.request
from types import SimpleNamespace


class OpenAI:
    def __init__(self, base_url, api_key):
        self.chat = SimpleNamespace(completions=self)
        self._base_url = base_url
        self._api_key = api_key

    def create(self, *, model, messages, extra_body):
        request = urllib.request.Request(
            self._base_url + "/chat/completions",
            data=json.dumps({"messages": messages, "model": model, **extra_body}).encode(),
            headers={"content-type": "application/json", "authorization": "Bearer " + self._api_key},
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response, object_hook=lambda fields: SimpleNamespace(**fields))
