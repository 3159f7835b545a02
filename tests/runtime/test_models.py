"""From a model's name to the model, and what is missing on the way."""

import os
import re

import pytest
from pydantic_ai.exceptions import UserError

from wellkept.compose.stores import Stores
from wellkept.model.errors import MissingExtra, ProviderRequired
from wellkept.runtime.agent import Agent
from wellkept.runtime.models import Models
from wellkept.runtime.runtime import Runtime


@pytest.fixture(autouse=True)
def _no_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "ANTHROPIC_", "OLLAMA_", "AZURE_")):
            monkeypatch.delenv(name)


def test_a_model_is_made_once() -> None:
    models = Models()
    assert models.named("offline") is models.named("offline")
    assert models.named("offline").model_name == "offline"
    assert models.named("test").model_name == "test"


@pytest.mark.parametrize("name", ["openai:gpt-5.2", "openai-chat:gpt-5.2", "anthropic:claude-sonnet-4-5", "ollama:x"])
def test_a_provider_without_a_key_is_named(name: str) -> None:
    with pytest.raises(ProviderRequired) as caught:
        Models().named(name)
    assert caught.value.facts["model"] == name
    told = str(caught.value.facts["problem"])
    assert re.match(r"[A-Z]+_(API_KEY|BASE_URL) is not set$", told), "names the variable to set, and says no more"
    assert told.split()[0] in str(caught.value.facts["do"])
    assert isinstance(caught.value.__cause__, UserError), "what the provider says is kept"


@pytest.mark.parametrize("name", ["", "nonsense", "nobody:x", ":", "openai:", "offline:x", "Offline"])
def test_a_name_that_nobody_knows(name: str) -> None:
    with pytest.raises(ProviderRequired) as caught:
        Models().named(name)
    assert "http" not in str(caught.value)


def test_a_provider_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "anthropic", None)
    monkeypatch.delitem(__import__("sys").modules, "pydantic_ai.providers.anthropic", raising=False)
    monkeypatch.delitem(__import__("sys").modules, "pydantic_ai.models.anthropic", raising=False)
    with pytest.raises(MissingExtra) as caught:
        Models().named("anthropic:claude-sonnet-4-5")
    assert "wellkept[anthropic]" in str(caught.value)


async def test_an_agent_without_a_model_takes_the_runtimes(stores: Stores) -> None:
    async with Runtime([Agent("a")], store=stores, default_model="offline") as runtime:
        assert (await runtime.run("hi")).text.startswith("Hello")
    async with Runtime([Agent("a")], store=stores) as runtime:
        with pytest.raises(ProviderRequired) as caught:
            await runtime.run("hi", session_id="s1")
    assert "offline" in str(caught.value)
    async with Runtime([Agent("a", model="offline")], store=stores, default_model="nonsense") as runtime:
        assert (await runtime.run("hi")).text.startswith("Hello")


async def test_closing_lets_go_of_the_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key-at-all")
    models = Models()
    client = models.named("openai-chat:x").client  # type: ignore[attr-defined]
    await models.close()
    assert client.is_closed()
