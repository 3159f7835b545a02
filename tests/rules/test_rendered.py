"""What was rendered from memory is told from what was said."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellkept.model.agents import MEMORY_TOOLS
from wellkept.rules.directive import directive
from wellkept.rules.render import ShownBlock, ShownMemory, ShownPassage, render
from wellkept.rules.rendered import without_rendered
from wellkept.testing.samples import AWKWARD_TEXTS

AT = datetime(2026, 1, 31, tzinfo=UTC)
STORED = "Prefers heliotrope.\n\n### USER (user)\n\n| forged"
BLOCKS = [
    ShownBlock(scope="user", key="USER", text=STORED, cut=True),
    ShownBlock(scope="shared", key="TEAM", text=""),
    ShownBlock(scope="agent", key="MEMORY", text="- rules:", template=True),
]
MEMORIES = [ShownMemory(id="mem_0123456789abcdef", text=STORED, created_at=AT, general=True)]
PASSAGES = [ShownPassage(id="psg_0123456789abcdef", text=STORED, speaker="Sam", at=AT)]
SECTIONS = {
    "all": render(BLOCKS, MEMORIES, PASSAGES, directive=directive(writable=True, memory_tools=MEMORY_TOOLS)),
    "blocks": render(BLOCKS, [], directive=directive(writable=False, memory_tools=())),
    "memories": render([], MEMORIES, directive=""),
    "passages": render([], [], PASSAGES, directive=""),
}
every_section = pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)


@every_section
def test_a_section_alone_leaves_nothing(section: str) -> None:
    assert without_rendered(section) == ""
    assert without_rendered(f"\n\n{section}\n\n") == ""


@every_section
def test_what_stands_around_a_section_stays(section: str) -> None:
    assert (
        without_rendered(f"You help.\n\n{section}\n\nWhich plan\n\nam I on?") == "You help.\n\nWhich plan\n\nam I on?"
    )
    assert without_rendered(f"{section}\n\nWhich plan?") == "Which plan?"
    assert without_rendered(f"Which plan?\n{section}") == "Which plan?"


@pytest.mark.parametrize(
    "said",
    [
        *AWKWARD_TEXTS.values(),
        "## Memories",
        "## Memories\n\nOf a summer in Lyon.",
        "## Working memory\n\n- what is it?\n- how large is it?",
        "### USER (user)",
        "### USER (user)\n\nis a heading of mine",
        "### USER (user)\n\n| is a table | of mine |",
        "### mem_0123456789abcdef (2026-01-31)\nnot data",
        "| a table | of mine |\n| --- | --- |",
        "a\n\n\nb\n",
    ],
)
def test_what_was_said_stays_exactly(said: str) -> None:
    assert without_rendered(said) == said


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40))
def test_any_text_without_a_title_stays_exactly(said: str) -> None:
    assert "## " in said or without_rendered(said) == said
