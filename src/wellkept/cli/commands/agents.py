"""`wellkept agents`: configured assistants."""

from typing import Annotated

import typer

from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import PAGE, Cursor, Limit
from wellkept.cli.times import moment
from wellkept.model.agents import TOOL_CHOICES
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec
from wellkept.model.keys import checked_scope
from wellkept.model.recall import RecallSettings
from wellkept.wire.agents import AgentAnswer, AgentCreate

app = group("agents", "Agents: configured assistants, in versions.")


def _tools() -> list[str]:
    return list(TOOL_CHOICES)


@command(app, "create")
async def create(
    run: Run,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What people call it")],
    *,
    model: Annotated[str | None, typer.Option("--model", help="Its model, like openai:gpt-5.2")] = None,
    instructions: Annotated[str, typer.Option("--instructions", help="What it is told before all else")] = "",
    tool: Annotated[
        list[str] | None,
        typer.Option("--tool", help="A memory tool it has, or memory for all; may come again", autocompletion=_tools),
    ] = None,
    block: Annotated[
        list[str] | None,
        typer.Option("--block", metavar="SCOPE/KEY", help="A block in its prompt, like user/USER; may come again"),
    ] = None,
    inject: Annotated[bool, typer.Option("--inject", help="Memories stand in its prompt")] = False,
    recall: Annotated[
        bool, typer.Option("--recall", help="What is said in its turns is kept, and found again for later ones")
    ] = False,
    user: Annotated[str, typer.Option("--user", "-u", metavar="ID", help="The user whose own it is")] = "",
) -> None:
    """Make an agent."""
    agent = AgentCreate(
        name=name,
        model=model,
        instructions=instructions,
        tools=tuple(tool or ()),
        memory_injection_enabled=inject,
        working_memory=WorkingMemorySpec(auto_load=tuple(map(_spec, block))) if block else None,
        recall=RecallSettings() if recall else None,
        user_id=user,
    )
    made = await run.ask(lambda on: on.create_agent(agent), told="Making the agent")
    return run.out.value(made) if run.out.json else run.out.line(made.id)


@command(app, "list")
async def list_agents(
    run: Run,
    *,
    user: Annotated[str | None, typer.Option("--user", "-u", metavar="ID", help="Only this user's own")] = None,
    limit: Limit = PAGE,
    cursor: Cursor = None,
) -> None:
    """List agents, newest first."""
    page = await run.ask(lambda on: on.list_agents(user=user, cursor=cursor, limit=limit), told="Reading agents")
    if run.out.json:
        return run.out.value(page)
    rows = [
        (agent.id, agent.name, str(agent.version), agent.status, agent.model or "", moment(agent.created_at))
        for agent in page.data
    ]
    run.out.table(["id", "name", "version", "status", "model", "created"], rows)
    return run.more(page.next_cursor)


@command(app, "show")
async def show(run: Run, agent: Annotated[str, typer.Argument(metavar="ID", help="The agent's id")]) -> None:
    """Show an agent in its newest version."""
    found = await run.ask(lambda on: on.get_agent(agent), told="Reading the agent")
    return run.out.value(found) if run.out.json else _told(run, found)


def _told(run: Run, agent: AgentAnswer) -> None:
    memory = agent.working_memory
    blocks = [f"{spec.scope}/{spec.key}" for spec in memory.auto_load] if memory else []
    for name, value in (
        ("id", agent.id),
        ("name", agent.name),
        ("version", str(agent.version)),
        ("status", agent.status),
        ("model", agent.model or "(the server's)"),
        ("tools", ", ".join(agent.tools) or "none"),
        ("blocks", ", ".join(blocks) or "none"),
        ("memories", f"up to {agent.memories.pool_cap}"),
        ("in prompt", "yes" if agent.memory_injection_enabled else "no"),
        ("recall", "yes" if agent.recall else "no"),
        ("updated", moment(agent.updated_at)),
        ("instructions", agent.instructions),
    ):
        run.out.line(f"{name:<13} {value}")


def _spec(said: str) -> BlockSpec:
    scope, _, key = said.rpartition("/")
    return BlockSpec(checked_scope(scope or "user", param="--block"), key)
