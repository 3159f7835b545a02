"""Faults in what the stores keep of conversations."""

from typing import Final

from faults.fault import Fault, of
from faults.statements import forgetting

_SQLITE: Final = "stores/sqlite/passages.sql"

_PLACES: Final = frozenset({"users_of_agent", "users_of_session", "user_of", "agents_of_user"})
"""They say where to look: what is done there names its owner again."""

RULE: Final[list[Fault]] = of(
    "rules/whole_messages.py",
    "passages",
    (
        "an equal value of another type is no change",
        "return one == other and spell_metadata(one.metadata) == spell_metadata(other.metadata)",
        "return one == other",
    ),
    ("a changed piece is left alone", "and not _same(piece.passage, known[id])]", "and False]"),
    ("every piece is written again", "and not _same(piece.passage, known[id])]", "]"),
    ("pieces that are not given stay", "gone = [id for id in known if id not in given]", "gone: list[PassageId] = []"),
    ("another text removes nothing", "removes=bool(gone) or any(", "removes=bool(gone) or False and any("),
    ("a piece of somebody else's is taken", "!= place:", "!= place and False:"),
    (
        "a fact and a message are one",
        "return passage.session_id, passage.kind,",
        'return passage.session_id, "message",',
    ),
    ("the first of two counts", "for piece in pieces}\n    known", "for piece in reversed(pieces)}\n    known"),
)

INPROC: Final[list[Fault]] = [
    *of(
        "stores/inproc/passages.py",
        "passages",
        (
            "an owner whose passages are gone counts from 1",
            "    data.last_revision += 1\n",
            "    data.last_revision = spoken.stamp.revision + 1\n",
        ),
        ("the first passages remove nothing", "if removes or not spoken.stamp.revision:", "if removes:"),
        (
            "a removal is not noted",
            "            _next(data, spoken, removes=True)",
            "            _next(data, spoken, removes=False)",
        ),
        ("an owner without passages stays", "        if not spoken.by_id:", "        if not spoken.by_id and False:"),
        ("a vector is no change", "                    piece.revision = revision\n", ""),
        (
            "vectors of two models are one",
            "piece.vectors[vector.model] = vector",
            "piece.vectors = {vector.model: vector}",
        ),
        (
            "a page begins with the last one's end",
            "return piece.passage.id > after",
            "return piece.passage.id >= after",
        ),
        ("a page forgets the rest of a revision", "return piece.passage.id > after", "return False"),
        (
            "passages of every tenant",
            "if (owner.tenant, owner.agent) == (chosen.tenant, chosen.agent)",
            "if owner.agent == chosen.agent",
        ),
        (
            "passages of every agent",
            "if (owner.tenant, owner.agent) == (chosen.tenant, chosen.agent)",
            "if owner.tenant == chosen.tenant",
        ),
        ("passages of every user", "and chosen.user in (None, owner.user):", "and True:"),
        ("passages of every session", "chosen.session in (None, passage.session_id) and", "True and"),
        (
            "no ids select all",
            "(chosen.ids is None or passage.id in chosen.ids)",
            "(not chosen.ids or passage.id in chosen.ids)",
        ),
        (
            "a user is purged of every tenant",
            "if (owner.tenant, owner.user) == (tenant, user)]",
            "if owner.user == user]",
        ),
        (
            "facts are counted among messages",
            'one.session_id == session and one.kind == "message")',
            "one.session_id == session)",
        ),
    ),
    *of(
        "stores/inproc/sessions.py",
        "sessions",
        (
            "a deleted session leaves its passages",
            "            passages.forget(",
            "            _ = lambda: passages.forget(",
        ),
    ),
    *of(
        "stores/inproc/directory.py",
        "directory",
        (
            "a deleted agent leaves its passages",
            "            passages.forget(",
            "            _ = lambda: passages.forget(",
        ),
    ),
]

SQLITE: Final[list[Fault]] = [
    *forgetting("tenant", _SQLITE, "passages", but=_PLACES | {"change"}),
    *forgetting("agent", _SQLITE, "passages", but=_PLACES | {"change", "delete"}),
    *forgetting("user_id", _SQLITE, "passages", but=_PLACES | {"change"}),
    *forgetting("session", _SQLITE, "passages", but=_PLACES),
    *of(
        _SQLITE,
        "passages",
        ("an owner whose passages are gone counts from 1", "SET last = last + 1", "SET last = last"),
        ("a change says that it removes", "CASE WHEN ?5 THEN ?4 ELSE removals END", "?4"),
        ("a removal is not noted", "CASE WHEN ?5 THEN ?4 ELSE removals END", "removals"),
        ("any model's vector will do", "AND v.passage = p.id AND v.model = ?5", "AND v.passage = p.id AND ?5 = ?5"),
        ("facts are counted among messages", "AND session = ? AND kind = 'message'", "AND session = ?"),
        ("pages of changes forget the id", "ORDER BY p.revision, p.id LIMIT ?", "ORDER BY p.revision LIMIT ?"),
    ),
    *of(
        "stores/sqlite/passages.py",
        "passages",
        ("an owner without passages stays", 'db.execute(_SQL["delete_stamp"], place_of(owner))', "pass"),
        (
            "what changed keeps its vectors",
            '"delete"], [(*place, id, None) for id in (*plan.gone, *plan.replaced)])',
            '"delete"], [(*place, id, None) for id in plan.gone])',
        ),
        ("a vector is no change", '        db.executemany(_SQL["change"]', '        _ = (_SQL["change"]'),
        ("no ids select all", "    if chosen.ids is not None:\n        rows", "    if chosen.ids:\n        rows"),
    ),
    *of(
        "stores/sqlite/passage_lists.py",
        "passages",
        ("ids of every user are listed", "if chosen.user in (None, passage.user_id)\n", "if True\n"),
        ("ids of every session are listed", "and chosen.session in (None, passage.session_id)\n", "and True\n"),
        ("a page of ids begins at the newest", "and (after is None or place < after)\n", ""),
    ),
    *of(
        "stores/sqlite/passage_rows.py",
        "passages",
        (
            "instants are kept to the millisecond",
            "to_number(passage.at), passage.text)",
            "to_number(passage.at) // 1000 * 1000, passage.text)",
        ),
    ),
    *of(
        "stores/sqlite/sessions.py",
        "sessions",
        ("a deleted session leaves its passages", "    passages.forget(", "    _ = lambda: passages.forget("),
    ),
    *of(
        "stores/sqlite/directory.py",
        "directory",
        ("a deleted agent leaves its passages", "    passages.forget(", "    _ = lambda: passages.forget("),
    ),
]
