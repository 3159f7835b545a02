"""The scripted model: what it understands, and what it does about it."""

import pytest

from wellkept.runtime.offline.notes import Note, lines, notes, value_of, with_value
from wellkept.runtime.offline.script import Answer, Answered, Call, FoundMemory, Scene, Step, Trouble, step
from wellkept.runtime.offline.wishes import Ask, AskAll, Chat, Forget, Remember, Tell, Wish, wishes

SAM = Note(text="Name: Sam", block="USER")
PLAN = Note(text="Plan: gold", block="USER")
TEA = Note(text="Likes tea", memory="mem_0000000000000001")
BOT = Note(text="Name: Bot", block="MEMORY", of_agent=True)
FORM = Note(text="- name: Sam\n- plan: gold", block="USER")
ALL_TOOLS = frozenset({"memory_block", "save_memory", "search_memories", "update_memory", "delete_memory"})


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("call me Sam", Tell("name", "Sam")),
        ("Please call me Sam.", Tell("name", "Sam")),
        ("Hi, my name is Sam!", Tell("name", "Sam")),
        ("MY NAME IS SAM", Tell("name", "SAM")),
        ("I'm called J. R. Tolkien", Tell("name", "J. R. Tolkien")),
        ("call me 用户", Tell("name", "用户")),
        ("my plan is premium", Tell("plan", "premium")),
        ("I am on the gold plan now", Tell("plan", "gold")),
        ("my email is sam@example.com.", Tell("email", "sam@example.com")),
        ("remember that I like tea", Remember("I like tea")),
        ("Remember: the door code is 4092.", Remember("the door code is 4092")),
        ("please remember that my name is on the list", Remember("my name is on the list")),
        ("remember that\nit has two lines", Remember("it has two lines")),
        ("forget tea", Forget("tea")),
        ("please forget that I like tea.", Forget("I like tea")),
        ("forget my plan", Forget("my plan", label="plan")),
        ("what do you know about me?", AskAll()),
        ("Hello! What do you remember about me?", AskAll()),
        ("do you know me?", AskAll()),
        ("what is my name?", Ask("name")),
        ("What's my plan?", Ask("plan")),
        ("who am I?", Ask("name")),
        ("which plan am I on?", Ask("plan")),
        ("tell me my email", Ask("email")),
        ("hello", Chat()),
        ("I like the weather", Chat()),
        ("which accents do I prefer?", Chat(words=("accents", "prefer"))),
        ("remember me?", Chat(words=("remember",))),
    ],
)
def test_what_it_understands(said: str, wish: Wish) -> None:
    assert wishes(said) == [wish]


def test_several_facts_in_one_message() -> None:
    assert wishes("Call me Sam and my plan is gold") == [Tell("name", "Sam"), Tell("plan", "gold")]


def scene(said: str, *shown: Note, **parts: object) -> Scene:
    full = {"blocks": ["USER", "MEMORY"], "own_blocks": ["USER"], "tools": ALL_TOOLS}
    return Scene(said=said, notes=shown, **(full | parts))  # type: ignore[arg-type]


def block(action: str, **arguments: object) -> list[Call]:
    return [Call("memory_block", {"action": action, "block": "USER", **arguments})]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (scene("call me Sam"), block("add", content="Name: Sam")),
        (scene("call me Max", SAM), block("replace", match="Name: Sam", content="Name: Max")),
        (scene("call me Max", FORM), block("replace", match=FORM.text, content="- name: Max\n- plan: gold")),
        (scene("call me Sam", BOT), block("add", content="Name: Sam")),
        (scene("call me Sam", own_blocks=["NOTES"]), block("add", content="Name: Sam", block="NOTES")),
        (scene("remember that I like tea"), [Call("save_memory", {"text": "I like tea"})]),
        (scene("remember that I like tea", tools=frozenset()), block("add", content="I like tea")),
        (scene("forget tea", TEA), [Call("delete_memory", {"memory_id": TEA.memory})]),
        (scene("forget gold", SAM, PLAN), block("remove", match="Plan: gold")),
        (scene("forget my plan", FORM), block("replace", match=FORM.text, content="- name: Sam\n- plan:")),
        (scene("forget tea", SAM), [Call("search_memories", {"query": "tea"})]),
    ],
)
def test_what_it_calls(seen: Scene, expected: Step) -> None:
    assert step(seen) == expected


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (scene("call me Sam", SAM), "Nice to meet you, Sam."),
        (scene("what is my name?", SAM), "Your name is Sam."),
        (scene("what is my name?", BOT), "I do not know your name yet."),
        (scene("what do you know about me?"), "I do not know anything about you yet."),
        (scene("what do you know about me?", SAM, TEA), "Here is what I know:\n- Name: Sam\n- Likes tea"),
        (scene("which tea?"), "Hello. I am the offline model: tell me your name, or ask me what I know about you."),
        (scene("do I like teas or likes?", TEA), "From what I know:\n- Likes tea"),
        (scene("forget e", SAM, TEA), "Which of these should I forget?\n- Name: Sam\n- Likes tea"),
        (scene("forget coffee", SAM, tools=frozenset()), "I know nothing of that."),
        (scene("forget Sam", SAM, blocks=[], own_blocks=[]), "I cannot change what I know here: Name: Sam"),
    ],
)
def test_what_it_says(seen: Scene, expected: str) -> None:
    assert step(seen) == expected


@pytest.mark.parametrize("said", ["call me Sam", "remember that I like tea"])
def test_without_tools_it_says_that_it_cannot_keep_it(said: str) -> None:
    told = step(scene(said, blocks=[], own_blocks=[], tools=frozenset()))
    assert "no memory to write to" in str(told)


def test_a_fact_about_a_visitor_is_written_into_no_block_of_the_agents() -> None:
    """What stands there, everybody is told."""
    assert isinstance(step(scene("call me Sam", blocks=["MEMORY"], own_blocks=[])), str)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(), "Nice to meet you, Sam."),
        (Answer(held=True), "Nice to meet you, Sam. It waits until someone approves it."),
        (Answer(error=Trouble("too long")), "Nice to meet you, Sam. That did not work: too long"),
    ],
)
def test_what_came_of_a_call_is_said(answer: Answer, told: str) -> None:
    assert step(scene("call me Sam", answered=[Answered("memory_block", answer)])) == told


def test_forgetting_what_only_a_search_finds() -> None:
    found = FoundMemory(id=TEA.memory, text=TEA.text)
    one = Answered("search_memories", Answer(memories=(found, FoundMemory(id="mem_2", text="coffee"))))
    assert step(scene("forget tea", answered=[one])) == [Call("delete_memory", {"memory_id": TEA.memory})]
    two = Answered("search_memories", Answer(memories=(found, FoundMemory(id="mem_2", text="green tea"))))
    assert "Which of these" in str(step(scene("forget tea", answered=[two])))
    none = Answered("search_memories", Answer())
    assert step(scene("forget tea", answered=[none])) == "I know nothing of that."
    assert step(scene("forget tea", answered=[one, Answered("delete_memory", Answer())])) == "Forgotten."


def test_notes_are_read_from_the_rendered_prompt() -> None:
    prompt = (
        "Be kind.\n\n## Working memory\n\n- how to use it\n\n### USER (user)\n\n| Name: Sam\n| §\n| likes tea\n\n"
        "### FORM (user)\n\n[empty: this is its template]\n| - name:\n\n### MEMORY (agent)\n\n| Open from 9\n\n"
        "## Memories\n\nSaved earlier.\n\n### mem_0123456789abcdef (2026-01-31)\n\n| In two\n| lines"
    )
    assert notes(prompt) == [
        Note(text="Name: Sam", block="USER"),
        Note(text="likes tea", block="USER"),
        Note(text="Open from 9", block="MEMORY", of_agent=True),
        Note(text="In two\nlines", memory="mem_0123456789abcdef"),
    ]


def test_a_form_that_nobody_filled_in_says_nothing() -> None:
    form = Note(text="- name:\n- plan: gold", block="USER")
    assert value_of("name", [form]) == ""
    assert value_of("plan", [form]) == "gold"
    assert lines([form]) == ["plan: gold"]
    assert with_value("name", "Sam", form.text) == "- name: Sam\n- plan: gold"
    assert with_value("name", r"\1 \g<0>", form.text) == "- name: \\1 \\g<0>\n- plan: gold"
