"""All numbers, from where they are decided."""

import markdown

from wellkept.contract.block_store import EDIT_ATTEMPTS
from wellkept.model import agents, blocks, ids, memories, pages
from wellkept.rules.edit import MAX_CANDIDATES
from wellkept.runtime.limits import TurnLimits
from wellkept.server import head, options, serving, strict_json
from wellkept.services import keys, local_memory, review, session_turns
from wellkept.stores.sqlite.address import Address

INTRODUCTION = """
*Fixed* numbers are the same everywhere. The others are defaults, and the third column says what changes them. What is
over a limit is refused with a typed error; nothing is cut silently but what is rendered into a prompt, and there the
receipt says so.
"""


def page() -> str:
    return markdown.page(
        "Limits",
        INTRODUCTION,
        section("Ids and names", of_ids()),
        section("Blocks", of_blocks()),
        section("Memories", of_memories()),
        section("Agents and keys", of_agents()),
        section("Turns and sessions", of_turns()),
        section("Requests", of_requests()),
        section("Stores", of_stores()),
    )


def section(title: str, rows: list[tuple[str, str, str]]) -> str:
    return f"## {title}\n\n" + markdown.table(["what", "limit", "changed by"], rows)


def number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,}"


def of_ids() -> list[tuple[str, str, str]]:
    return [
        (
            "user, agent and session id",
            f"1–{ids.MAX_ID_CHARS} characters, no control characters, no outer space",
            "fixed",
        ),
        ("a user id in a header", "the same, in UTF-8", "fixed"),
        ("block key, tenant id", "1–64 of `A-Z a-z 0-9 _ . -`", "fixed"),
        ("version of an agent", "1–2,147,483,647", "fixed"),
    ]


def of_blocks() -> list[tuple[str, str, str]]:
    return [
        (
            "block",
            f"{number(blocks.DEFAULT_CHAR_LIMIT)} code points",
            "`default_char_limit`, `BlockSpec.char_limit`, `limit`",
        ),
        ("largest limit", f"{number(blocks.MAX_CHAR_LIMIT)} code points", "fixed"),
        ("declared blocks of an agent", "50", "fixed"),
        ("description of a block", "1,000 characters", "fixed"),
        ("candidates in an answer", str(MAX_CANDIDATES), "fixed"),
        ("races that one edit may lose", str(EDIT_ATTEMPTS), "fixed"),
    ]


def of_memories() -> list[tuple[str, str, str]]:
    defaults = memories.MemorySettings()
    return [
        (
            "text of a memory",
            f"1–{number(memories.MAX_MEMORY_BYTES)} UTF-8 bytes, something visible among them",
            "fixed",
        ),
        ("memories of an agent", number(defaults.pool_cap), "`pool_cap`, 1–10,000"),
        ("rows that a user keeps", number(defaults.per_user_reserve), "`per_user_reserve`, up to the cap"),
        ("rendered words", number(defaults.injection_words), "`injection_words`, up to 100,000"),
        ("rendered characters", number(defaults.injection_chars), "`injection_chars`, up to 1,000,000"),
        ("results of the tool's search", f"10, at most {local_memory.MAX_FOUND}", "the tool's `limit`"),
    ]


def of_agents() -> list[tuple[str, str, str]]:
    return [
        ("name of an agent", f"1–{agents.MAX_NAME_CHARS} characters", "fixed"),
        ("instructions", f"{number(agents.MAX_INSTRUCTION_CHARS)} characters", "fixed"),
        ("metadata", f"{agents.MAX_METADATA} entries; names 1–64, values up to 512 characters", "fixed"),
        ("live API keys of a tenant", number(keys.MAX_KEYS), "fixed"),
        ("held writes of an agent", number(review.MAX_HELD), "fixed"),
    ]


def of_turns() -> list[tuple[str, str, str]]:
    bounds, server = TurnLimits(), options.Options()
    return [
        ("calls of the model in a turn", number(bounds.requests), "`TurnLimits.requests`"),
        ("seconds of a turn, in a library", number(bounds.seconds), "`TurnLimits.seconds`"),
        ("seconds of a turn, on a server", number(server.turn_seconds), "`WELLKEPT_TURN_SECONDS`"),
        ("messages of the session that the model sees again", number(bounds.history), "`TurnLimits.history`"),
        ("seconds to wait for the session's other turn", number(bounds.wait), "`TurnLimits.wait`"),
        ("seconds that a process's claim on a session lasts unrenewed", number(session_turns.CLAIM_SECONDS), "fixed"),
        ("turns that a tenant runs at once on a server", number(server.max_turns), "fixed"),
    ]


def of_requests() -> list[tuple[str, str, str]]:
    server = options.Options()
    return [
        ("rows of a page", f"{pages.DEFAULT_LIMIT}, at most {pages.MAX_LIMIT}", "`limit`"),
        ("body", f"{number(server.max_body_bytes)} bytes", "`WELLKEPT_MAX_BODY_BYTES`"),
        ("depth of JSON", str(strict_json.MAX_DEPTH), "fixed"),
        ("address and headers", f"{number(server.max_head_bytes)} bytes, {head._MAX_HEADERS} headers", "fixed"),
        ("`Idempotency-Key`", "1–200 printable ASCII characters", "fixed"),
        ("`X-Client-Request-Id`", "1–128 letters, digits, `.`, `_`, `:`, `-`", "fixed"),
        ("idle connection", f"{serving._KEEP_ALIVE_SECONDS} seconds", "fixed"),
        ("stopping server's patience", f"{number(server.drain_seconds)} seconds", "`WELLKEPT_DRAIN_SECONDS`"),
    ]


def of_stores() -> list[tuple[str, str, str]]:
    return [
        ("seconds that a SQLite write waits for other processes", number(Address.__struct_defaults__[1]), "`?timeout=`")
    ]
