"""`wellkept chat`: a conversation with an agent."""

import asyncio
import importlib
import signal
from contextlib import ExitStack, aclosing
from typing import Annotated

import typer

from wellkept.cli.backend import Backend
from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import Agent, Session, User
from wellkept.cli.performing import told_of
from wellkept.cli.progress import waiting
from wellkept.compose.defaults import ASSISTANT
from wellkept.model.errors import InvalidInput, WellkeptError
from wellkept.wire.events import DoneEvent, MemoryChangeEvent, TextEvent
from wellkept.wire.turns import MemoryChange, TurnAnswer

_QUIT = frozenset({"/quit", "/exit", "/q"})


app = group()


@command(app, "chat")
async def chat(
    run: Run,
    *,
    once: Annotated[str | None, typer.Option("--once", metavar="TEXT", help="Say this, print the reply, end")] = None,
    user: User = None,
    session: Session = None,
    agent: Agent = ASSISTANT,
    model: Annotated[
        str | None, typer.Option("--model", help="Model of an agent that names none [WELLKEPT_MODEL, else offline]")
    ] = None,
) -> None:
    """Talk to an agent; /quit ends it."""
    from wellkept.cli.opening import open_backend  # what it needs takes its time to import

    talk = _Talk(run, agent=agent, user=user, session=session)
    async with open_backend(run.options, model=model) as backend:
        if once is not None:
            return await talk.once(backend, once)
        if run.out.json:
            raise InvalidInput(param="--json", problem="goes with --once; a conversation is for people")
        return await talk.converse(backend)


class _Talk:
    """A conversation. Its session is the one it was given, or the one that its first turn begins."""

    def __init__(self, run: Run, *, agent: str, user: str | None, session: str | None) -> None:
        self._out = run.out
        self._debug = run.options.debug
        self._agent = agent
        self._user = user
        self._session = session

    async def once(self, backend: Backend, text: str) -> None:
        """Say one thing, and print the reply alone."""
        answer = await self._turn(backend, text, aloud=False)
        if self._out.json:
            return self._out.value(answer)
        return self._out.line(answer.text)

    async def converse(self, backend: Backend) -> None:
        """Take turns until the person has enough."""
        _edit_lines()
        self._out.aside(f"Talking to {self._agent}. /quit or Ctrl-D ends it.")
        while (text := await self._heard()) is not None:
            if not text.strip():
                continue
            try:
                await self._turn(backend, text, aloud=True)
                self._out.line()
            except WellkeptError as error:
                self._out.line()
                told_of(error, out=self._out, debug=self._debug)

    async def _turn(self, backend: Backend, text: str, *, aloud: bool) -> TurnAnswer:
        events = backend.chat(self._agent, text, user=self._user, session=self._session)
        async with aclosing(events):
            with ExitStack() as thinking:
                thinking.enter_context(waiting("Thinking"))
                async for event in events:
                    thinking.close()
                    match event:
                        case TextEvent(text=piece) if aloud:
                            self._out.piece(piece)
                        case MemoryChangeEvent(change=change):
                            self._out.aside(_told(change))
                        case DoneEvent(answer=answer):
                            self._session = answer.session_id
                            return answer
                        case _:
                            pass
        raise AssertionError("a turn tells that it is done, or raises")

    async def _heard(self) -> str | None:
        """Read what the person says; None: nothing more."""
        # Here and now, not in a thread: nothing else is under way, and a thread that waits for
        # a person could not be left. asyncio's handler would let Ctrl-C wait for the person, too.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            await asyncio.sleep(0)  # where an earlier Ctrl-C takes effect
            text = input("> " if self._out.is_terminal else "")  # noqa: ASYNC250  waiting is what is wanted, as said above
        except EOFError:
            if self._out.is_terminal:
                self._out.line()
            return None
        finally:
            signal.signal(signal.SIGINT, before)
        return None if text.strip() in _QUIT else text


def _edit_lines() -> None:
    """Let `input` move in its line, and through the lines before it, where Python can do that."""
    try:
        importlib.import_module("readline")  # what `input` uses once it is there
    except ImportError:
        return


def _told(change: MemoryChange) -> str:
    what = f"{change.kind} {change.id}: {change.action}"
    return f"[{what} waits for approval: wellkept review list]" if change.state == "held" else f"[{what}]"
