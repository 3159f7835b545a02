"""Turns that recall: what was said is kept, and stands in the prompts of later conversations."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import wellkept
from wellkept.compose.assemble import Services
from wellkept.compose.recall import InProcessRecall
from wellkept.compose.stores import Stores
from wellkept.contract.events import Event
from wellkept.model.errors import InvalidInput, ProviderRequired, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, UserId
from wellkept.model.passages import Selection
from wellkept.model.recall import RecallSettings
from wellkept.model.sessions import SessionKey
from wellkept.rules.render import PASSAGES_TITLE, parse_rendered
from wellkept.runtime.agent import Agent, Memories, Recall, WorkingMemory
from wellkept.runtime.events import TurnResult
from wellkept.runtime.runtime import Runtime
from wellkept.testing.words_embedder import WordsEmbedder

DOG = "My dog is called Rex."
ALL = Selection(tenant=DEFAULT_TENANT, agent=AgentId("support"))


class Shown:
    """A model that says little, calls a tool when it is told to, and keeps what it was shown."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls = list(calls)
        self.instructions = ""
        self.tools: list[str] = []
        self.told: list[Any] = []
        self.model = FunctionModel(self._answer)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.instructions = info.instructions or ""
        self.tools = [tool.name for tool in info.function_tools]
        self.told = [part.content for message in messages for part in message.parts if part.part_kind == "tool-return"]
        if self.calls:
            name, arguments = self.calls.pop(0)
            return ModelResponse(parts=[ToolCallPart(name, arguments)])
        return ModelResponse(parts=[TextPart("I see.")])


@pytest.fixture
def shown() -> Shown:
    return Shown()


def support(model: Any, recall: Recall | None = None) -> Agent:
    return Agent("support", model=model, instructions="You help.", recall=recall or Recall())


@pytest.fixture
async def runtime(shown: Shown, stores: Stores) -> AsyncIterator[Runtime]:
    async with Runtime([support(shown.model)], store=stores) as opened:
        yield opened


async def kept(services: Services) -> list[tuple[str, str]]:
    page = await services.recall.listed(ALL, limit=100)
    return [(one.speaker, one.text) for one in sorted(page.data, key=lambda one: (one.session_id, one.place))]


def passages_of(result: TurnResult) -> list[str]:
    return [piece.id for piece in result.receipt.pieces if piece.kind == "passage"]


async def test_what_was_said_in_one_session_begins_the_prompt_of_another(
    runtime: Runtime, shown: Shown, services: Services
) -> None:
    await runtime.run(DOG, session_id="s1", user_id="maya")
    await runtime.run("The sky is grey.", session_id="s2", user_id="maya")
    await runtime.settled()
    result = await runtime.run("What is the name of my dog?", session_id="s3", user_id="maya")
    first = parse_rendered(shown.instructions)[0]
    assert shown.instructions.startswith(f"You help.\n\n{PASSAGES_TITLE}\n\n")
    assert [first.kind, first.text, first.id] == ["passage", DOG, passages_of(result)[0]]
    assert f"### {first.id} (" in shown.instructions
    assert "| user:\n| My dog is called Rex." in shown.instructions
    assert (await kept(services))[:2] == [("user", DOG), ("support", "I see.")]


async def test_a_session_that_is_deleted_is_recalled_no_more(
    runtime: Runtime, shown: Shown, services: Services
) -> None:
    await runtime.run(DOG, session_id="s1", user_id="maya")
    await runtime.settled()
    await services.sessions.delete(SessionKey(DEFAULT_TENANT, AgentId("support"), SessionId("s1")))
    result = await runtime.run("What is the name of my dog?", session_id="s3", user_id="maya")
    assert (passages_of(result), shown.instructions) == ([], "You help.")


async def test_an_erased_user_is_recalled_no_more(runtime: Runtime, services: Services) -> None:
    await runtime.run(DOG, session_id="s1", user_id="maya")
    await runtime.settled()
    assert await services.recall.purge_user(DEFAULT_TENANT, UserId("maya")) == 2
    assert passages_of(await runtime.run("my dog?", session_id="s3", user_id="maya")) == []


async def test_nobody_else_recalls_it(runtime: Runtime) -> None:
    await runtime.run(DOG, session_id="s1", user_id="maya")
    await runtime.settled()
    for user in ("sam", None):
        result = await runtime.run("What is the name of my dog?", session_id=f"of {user}", user_id=user)
        assert passages_of(result) == []


async def test_a_turn_sees_its_own_session_in_its_transcript_alone(runtime: Runtime, shown: Shown) -> None:
    await runtime.run(DOG, session_id="s1", user_id="maya")
    await runtime.settled()
    await runtime.run("What is the name of my dog?", session_id="s1", user_id="maya")
    assert shown.instructions == "You help."


async def test_the_prompt_is_the_same_to_the_byte_while_nothing_changes(runtime: Runtime, shown: Shown) -> None:
    await runtime.run(DOG, session_id="s1", user_id="maya")
    await runtime.settled()
    prompts = set()
    for _ in range(2):
        await runtime.run("What is the name of my dog?", user_id="maya", keep=False)
        prompts.add(shown.instructions)
    assert len(prompts) == 1
    assert PASSAGES_TITLE in prompts.pop()


async def test_what_the_prompt_recalled_is_not_kept_again(runtime: Runtime, services: Services) -> None:
    await runtime.run(DOG, session_id="s1", user_id="maya")
    await runtime.settled()
    await runtime.run("And my cat?", session_id="s2", user_id="maya")
    await runtime.settled()
    assert [text for _, text in await kept(services)] == [DOG, "I see.", "And my cat?", "I see."]


async def test_it_is_independent_of_blocks_and_memories_and_stands_behind_them(shown: Shown, stores: Stores) -> None:
    agent = Agent(
        "support", model=shown.model, working_memory=WorkingMemory(), memories=Memories(inject=True), recall=Recall()
    )
    async with Runtime([agent], store=stores, default_block_store=stores.blocks) as runtime:
        await runtime.run(DOG, session_id="s1", user_id="maya")
        await runtime.settled()
        result = await runtime.run("What is the name of my dog?", session_id="s3", user_id="maya")
    titles = [line for line in shown.instructions.split("\n") if line.startswith("## ")]
    assert titles == ["## Working memory", PASSAGES_TITLE]
    assert [piece.kind for piece in result.receipt.pieces][:3] == ["block", "block", "passage"]


async def test_an_agent_without_recall_keeps_and_recalls_nothing(
    shown: Shown, stores: Stores, services: Services
) -> None:
    async with Runtime([Agent("support", model=shown.model)], store=stores) as runtime:
        await runtime.run(DOG, session_id="s1", user_id="maya")
        await runtime.settled()
        await runtime.run("What is the name of my dog?", session_id="s3", user_id="maya")
        assert (shown.instructions, shown.tools) == ("", [])
    assert await kept(services) == []


@pytest.mark.parametrize(("part", "kept_texts"), [("ingest", 0), ("preload", 4), ("tool", 4)])
async def test_each_part_can_be_left_off(
    shown: Shown, stores: Stores, services: Services, part: str, kept_texts: int
) -> None:
    settings: dict[str, Any] = {part: False}
    async with Runtime([support(shown.model, Recall(**settings))], store=stores) as runtime:
        await runtime.run(DOG, session_id="s1", user_id="maya")
        await runtime.settled()
        result = await runtime.run("What is the name of my dog?", session_id="s3", user_id="maya")
    assert len(await kept(services)) == kept_texts
    assert bool(passages_of(result)) is (part == "tool")
    assert ("search_past_conversations" in shown.tools) is (part != "tool")


async def test_a_turn_without_a_session_keeps_nothing_of_what_is_said(runtime: Runtime, services: Services) -> None:
    await runtime.run(DOG, user_id="maya", keep=False)
    await runtime.settled()
    assert await kept(services) == []


async def test_without_a_user_there_is_one_warning_a_session(shown: Shown, stores: Stores) -> None:
    events: list[Event] = []
    async with Runtime([support(shown.model)], store=stores, listener=events.append, embedder="none") as runtime:
        for _ in range(2):
            await runtime.run(DOG, session_id="s1")
        await runtime.settled()
        assert [event.kind for event in events] == ["user_missing"]
        assert shown.tools == []


async def test_the_tool_finds_what_was_said(stores: Stores) -> None:
    shown = Shown()
    async with Runtime([support(shown.model, Recall(preload=False))], store=stores) as runtime:
        await runtime.run(DOG, session_id="s1", user_id="maya")
        await runtime.settled()
        shown.calls = [("search_past_conversations", {"query": "the name of the dog"})]
        result = await runtime.run("Who is Rex?", session_id="s2", user_id="maya")
        (told,) = shown.told
        assert told["passages"][0]["text"] == "| user:\n| My dog is called Rex."
        assert result.memory_changes == ()


async def test_when_recall_is_down_a_turn_goes_on_and_says_so(
    runtime: Runtime, shown: Shown, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    await runtime.run(DOG, session_id="s1", user_id="maya")
    await runtime.settled()

    async def down(*_: object, **__: object) -> None:
        raise StoreUnavailable(store="x")

    monkeypatch.setattr(stores.passages, "stamp", down)
    shown.calls = [("search_past_conversations", {"query": "dog"})]
    result = await runtime.run("What is the name of my dog?", session_id="s3", user_id="maya")
    assert (result.text, shown.instructions) == ("I see.", "You help.")
    assert {"recall", "memory"} <= set(result.degraded)
    assert shown.told[0]["error"]["code"] == "unavailable"


async def test_closing_waits_for_what_is_being_kept(shown: Shown, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/memory.db"
    async with Runtime([support(shown.model)], store=url) as runtime:
        await runtime.run(DOG, session_id="s1", user_id="maya")
    async with Runtime([support(shown.model)], store=url) as runtime:
        result = await runtime.run("What is the name of my dog?", session_id="s3", user_id="maya")
        assert len(passages_of(result)) == 2


async def test_a_streamed_turn_is_kept_too(stores: Stores, services: Services) -> None:
    async with Runtime([support("offline")], store=stores) as runtime:
        async for _ in runtime.stream(DOG, session_id="s1", user_id="maya"):
            pass
        await runtime.settled()
    said = await kept(services)
    assert [speaker for speaker, _ in said] == ["user", "support"]
    assert said[0] == ("user", DOG)


async def test_a_recall_service_of_its_own(shown: Shown, stores: Stores, services: Services) -> None:
    async with InProcessRecall(embedder="none") as own:
        async with Runtime([support(shown.model, Recall(store=own))], store=stores) as runtime:
            await runtime.run(DOG, session_id="s1", user_id="maya")
            await runtime.settled()
            result = await runtime.run("What is the name of my dog?", session_id="s3", user_id="maya")
            assert len(passages_of(result)) == 2
        found = await own.search("dog", agent="support", user_id="maya")
        assert DOG in [one.passage.text for one in found.data]
    assert await kept(services) == []


async def test_a_runtime_closes_the_recall_service_that_it_opened(shown: Shown, stores: Stores) -> None:
    own = InProcessRecall(embedder="none")
    async with Runtime([support(shown.model, Recall(store=own))], store=stores) as runtime:
        await runtime.run(DOG, session_id="s1", user_id="maya")
        assert own.is_open
    assert not own.is_open


async def test_an_embedder_of_one_s_own(shown: Shown, stores: Stores) -> None:
    embedder = WordsEmbedder()
    async with Runtime([support(shown.model)], store=stores, embedder=embedder) as runtime:
        await runtime.run(DOG, session_id="s1", user_id="maya")
        await runtime.settled()
        result = await runtime.run("Do I have a hound?", session_id="s3", user_id="maya")
        assert (result.degraded, parse_rendered(shown.instructions)[0].text) == ((), DOG)
    assert embedder.closed


async def test_what_a_process_that_died_did_not_keep_is_kept_with_the_next_turn_of_any_session(
    shown: Shown, stores: Stores, services: Services
) -> None:
    async with Runtime([support(shown.model, Recall(ingest=False))], store=stores) as dying:
        await dying.run(DOG, session_id="s1", user_id="maya")
        await dying.run("My cat is called Ada.", session_id="s2", user_id="sam")
    async with Runtime([support(shown.model)], store=stores) as runtime:
        await runtime.run("Hello.", session_id="s3", user_id="maya")
        await runtime.settled()
    assert {text for speaker, text in await kept(services) if speaker == "user"} == {
        DOG,
        "My cat is called Ada.",
        "Hello.",
    }
    assert (await services.recall.stats(DEFAULT_TENANT)).users == 2


# ---- facts


def facts_model(*facts: dict[str, Any]) -> FunctionModel:
    """A model that proposes these facts, whatever it is shown."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"facts": list(facts)})])

    return FunctionModel(answer)


async def facts_of(shown: Shown, stores: Stores, services: Services, **settings: Any) -> tuple[list[str], list[str]]:
    events: list[Event] = []
    recall = Recall(strategy="facts", **settings)
    async with Runtime(
        [support(shown.model, recall)], store=stores, listener=events.append, embedder="none"
    ) as runtime:
        await runtime.run(DOG, session_id="s1", user_id="maya")
        await runtime.settled()
    page = await services.recall.listed(ALL)
    assert len([one for one in page.data if one.kind == "message"]) == 2
    return [one.text for one in page.data if one.kind == "fact"], [event.kind for event in events]


async def test_a_model_proposes_facts(shown: Shown, stores: Stores, services: Services) -> None:
    model = facts_model({"text": " Maya's dog is called Rex. ", "messages": [0]}, {"text": "Made up.", "messages": [9]})
    facts, events = await facts_of(shown, stores, services, facts_model=model)
    assert facts == ["Maya's dog is called Rex."]
    assert events == ["passages_stored", "facts_dropped", "facts_stored"]


async def test_a_model_that_answers_nonsense_costs_a_count(shown: Shown, stores: Stores, services: Services) -> None:
    facts, events = await facts_of(shown, stores, services)  # the agent's own model, which says "I see."
    assert (facts, events) == ([], ["passages_stored", "extract_failed"])


async def test_a_model_that_raises_costs_a_count(shown: Shown, stores: Stores, services: Services) -> None:
    def broken(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RuntimeError("the provider's client has a bug")

    facts, events = await facts_of(shown, stores, services, facts_model=FunctionModel(broken))
    assert (facts, events) == ([], ["passages_stored", "extract_failed"])


async def test_a_model_that_nobody_knows_is_refused_before_the_turn(shown: Shown, stores: Stores) -> None:
    recall = Recall(strategy="facts", facts_model="nowhere:model")
    async with Runtime([support(shown.model, recall)], store=stores) as runtime:
        with pytest.raises(ProviderRequired):
            await runtime.run(DOG, session_id="s1", user_id="maya")


# ---- how it is declared


def test_it_is_public_and_says_itself_to_the_directory() -> None:
    assert wellkept.Recall is Recall
    recall = Recall(limit=3, tokens=100, threshold=0.5, tool=False, strategy="facts", facts_model="openai:x")
    settings = RecallSettings(limit=3, tokens=100, threshold=0.5, tool=False, strategy="facts", facts_model="openai:x")
    assert Agent("a", recall=recall).config.recall == settings
    assert Agent("a").config.recall is None


@pytest.mark.parametrize(
    "wrong", [{"limit": 0}, {"limit": 101}, {"tokens": -1}, {"threshold": 1.5}, {"facts_model": ""}]
)
def test_a_number_out_of_range_is_refused_where_it_is_said(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Recall(**wrong)


def test_an_agent_s_own_tool_may_not_take_the_name() -> None:
    def search_past_conversations(query: str) -> str:
        return query

    with pytest.raises(InvalidInput):
        Agent("a", tools=[search_past_conversations])
