"""The turn: from what the user says to what is said back and kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import pydantic_ai
from pydantic_ai import AgentRunResult, AgentRunResultEvent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from wellkept.compose.assemble import Services
from wellkept.contract.extractor import Extractor
from wellkept.model.errors import ProviderRequired
from wellkept.model.ids import AgentId
from wellkept.model.passages import PassageOwner
from wellkept.model.recall import RecallSettings
from wellkept.model.receipts import Context
from wellkept.model.sessions import Session, SessionKey
from wellkept.model.turns import Turn
from wellkept.runtime.agent import Agent
from wellkept.runtime.events import TurnEvent, TurnResult
from wellkept.runtime.facts import ModelExtractor
from wellkept.runtime.failures import BadAnswers, provider_failures
from wellkept.runtime.limits import TurnLimits
from wellkept.runtime.memory_toolset import MemoryToolset
from wellkept.runtime.models import Models
from wellkept.runtime.narration import Narration
from wellkept.runtime.transcript import said, to_keep, to_say_again
from wellkept.services.agent_source import ResolvedAgent
from wellkept.services.ingestion import Spoken
from wellkept.tools.toolset import toolset
from wellkept.wire.turns import Usage

Emit = Callable[[TurnEvent], None]
"""Takes the events of a turn as they come; must not wait."""


@dataclass(frozen=True, kw_only=True)
class _Prepared:
    """An agent that is ready to speak in a turn. `keeping`: what will be kept of it for recall; None: nothing."""

    turn: Turn
    agent: ResolvedAgent
    model: Model
    model_name: str
    keeping: Spoken | None


@dataclass(frozen=True, kw_only=True)
class _Spoken:
    """What came of speaking: the result, and the messages that the session is to keep."""

    result: TurnResult
    messages: list[ModelMessage]


class Turns:
    """Runs turns over a set of services. `declared` are the agents of this program, whose Python objects it knows."""

    def __init__(
        self,
        services: Services,
        *,
        declared: Mapping[AgentId, Agent],
        models: Models,
        default_model: str | Model | None,
        limits: TurnLimits,
    ) -> None:
        self._services = services
        self._declared = declared
        self._models = models
        self._default_model = default_model
        self._limits = limits

    async def run(self, turn: Turn, text: str, *, emit: Emit | None = None) -> TurnResult:
        """Run a turn; with `emit`, tell it as it goes on. A turn without a session keeps nothing of what is said.

        Raises:
            NotFound: There is no such agent (or version: `AgentVersionNotFound`).
            AgentDisabled: It is disabled.
            SessionBusy: Another turn of the session takes too long.
            SessionUserMismatch: The session belongs to another user.
            SessionVersionMismatch: It is pinned to another version.
            ProviderRequired: The agent's model cannot be used as it is configured.
            ModelFailed: The provider failed; nothing was added to the session, and what was saved stays saved.
            StoreFailed: A store could not do what the turn needs.
        """
        if turn.session is None:
            prepared = await self._prepare(turn)
            return (await self._speak(prepared, text, history=[], emit=emit)).result
        key = SessionKey(turn.tenant, turn.agent, turn.session)
        sessions = self._services.sessions
        async with sessions.one_turn(key, wait=self._limits.wait):
            prepared = await self._prepare(turn)
            if prepared.keeping is not None:
                await self._services.ingestion.room()
            session = await sessions.open(turn)
            spoken = await self._speak(prepared, text, history=await self._history(session), emit=emit)
            rows = to_keep(spoken.messages, first=session.length + 1, at=self._services.clock.now())
            await sessions.append(key, rows)
            if prepared.keeping is not None:
                self._services.ingestion.note(prepared.keeping)
            return spoken.result

    async def _prepare(self, turn: Turn) -> _Prepared:
        """Make sure that the turn can be run before anything of it is stored."""
        session = await self._services.sessions.check(turn)
        version = turn.version or (session.version if session else None)
        agent = await self._services.source.resolve(turn.tenant, turn.agent, version)
        declared = self._declared.get(turn.agent)
        model = (declared.model if declared else None) or agent.config.model or self._default_model
        if model is None:
            raise ProviderRequired(
                agent=turn.agent, do="name a model for the agent or the runtime; `offline` needs no provider"
            )
        speaking = self._models.named(model) if isinstance(model, str) else model
        return _Prepared(
            # Pinned, so that an update of the agent in the midst of the turn does not split it.
            turn=msgspec.structs.replace(turn, version=agent.version),
            agent=agent,
            model=speaking,
            model_name=model if isinstance(model, str) else model.model_name,
            keeping=self._keeping(turn, agent, speaking),
        )

    def _keeping(self, turn: Turn, agent: ResolvedAgent, model: Model) -> Spoken | None:
        settings, recall = agent.config.recall, agent.recall or self._services.recall
        if turn.session is None or turn.user is None or settings is None or not settings.ingest:
            return None
        return Spoken(
            key=SessionKey(turn.tenant, turn.agent, turn.session),
            owner=PassageOwner(turn.tenant, turn.agent, turn.user),
            agent_name=agent.config.name,
            recall=recall,
            extractor=self._extractor(turn, settings, model) if settings.strategy == "facts" else None,
        )

    def _extractor(self, turn: Turn, settings: RecallSettings, model: Model) -> Extractor:
        declared = self._declared.get(turn.agent)
        own = declared.recall if declared else None
        if own is not None and own.extractor is not None:
            return own.extractor
        named = (own.facts_model if own else None) or settings.facts_model or model
        return ModelExtractor(self._models.named(named) if isinstance(named, str) else named)

    async def _history(self, session: Session) -> list[ModelMessage]:
        after = max(0, session.length - self._limits.history)
        return to_say_again(await self._services.sessions.messages(session.key, after=after, limit=None))

    async def _speak(
        self, prepared: _Prepared, text: str, *, history: Sequence[ModelMessage], emit: Emit | None
    ) -> _Spoken:
        turn, memory = prepared.turn, self._services.memory
        declared = await memory.declared(turn)
        context = await memory.context(turn, query=text)
        tools = MemoryToolset(toolset(memory, turn, declared))
        loop = self._loop(prepared, context, tools)
        with provider_failures(prepared.model_name):
            if emit is None:
                outcome = await loop.run(
                    text, message_history=history, deps=turn, usage_limits=self._usage, timeout=self._limits.seconds
                )
            else:
                outcome = await self._streamed(loop, text, history=history, turn=turn, tools=tools, emit=emit)
        messages = outcome.new_messages()
        usage = outcome.usage
        result = TurnResult(
            text=said(messages),
            session_id=turn.session,
            agent_id=turn.agent,
            version=prepared.agent.version,
            memory_changes=tuple(tools.changes),
            receipt=context.receipt,
            usage=Usage(requests=usage.requests, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens),
            degraded=tuple(sorted({*context.receipt.degraded, *tools.degraded})),
        )
        return _Spoken(result=result, messages=messages)

    def _loop(self, prepared: _Prepared, context: Context, tools: MemoryToolset) -> pydantic_ai.Agent[Turn, str]:
        """Put the agent loop together for one turn: memory stands after the instructions."""
        declared = self._declared.get(prepared.turn.agent)
        sections = [section for section in (prepared.agent.config.instructions, context.text) if section]
        return pydantic_ai.Agent(
            prepared.model,
            name=prepared.turn.agent,
            deps_type=Turn,
            instructions="\n\n".join(sections) or None,
            tools=declared.tools if declared else (),
            toolsets=[tools],
            capabilities=[BadAnswers()],
        )

    @property
    def _usage(self) -> UsageLimits:
        return UsageLimits(request_limit=self._limits.requests)

    async def _streamed(
        self,
        loop: pydantic_ai.Agent[Turn, str],
        text: str,
        *,
        history: Sequence[ModelMessage],
        turn: Turn,
        tools: MemoryToolset,
        emit: Emit,
    ) -> AgentRunResult[str]:
        """Run the loop and tell what happens."""
        narration = Narration(tools)
        running = loop.run_stream_events(
            text, message_history=history, deps=turn, usage_limits=self._usage, timeout=self._limits.seconds
        )
        async with running as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    return event.result
                for told in narration.tell(event):
                    emit(told)
        raise AssertionError("the agent loop ends its events with a result, or raises")
