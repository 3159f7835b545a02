"""How much of the evidence for a question recall finds: `.venv/bin/python bench/recall.py --data FILE`.

FILE holds conversations in LoCoMo's format: sessions of messages, and questions
with the ids of the messages that answer them. What is measured is retrieval: the
share of a question's evidence among the first k messages. No model answers, and
none judges.

`words` and `recipe` are what the service finds, through its own door; `bm25`,
`vectors` and `rrf` are the textbook methods over the same passages.
"""

import argparse
import asyncio
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.locomo import Conversation, Question, conversations
from wellkept.compose.embedder import open_embedder
from wellkept.compose.recall import InProcessRecall
from wellkept.contract.embedder import Embedder
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, UserId
from wellkept.model.passages import PassageOwner, StoredPassage, Vector
from wellkept.rules.recall import fast_scores
from wellkept.rules.recall.asking import query_terms, weighed
from wellkept.rules.recall.entry import analysed, spoken
from wellkept.rules.recall.shelf import Shelf
from wellkept.services.cutting import messages_of

DEPTHS: Final = (5, 10, 20, 50)
_RRF: Final = 60
_AGENT, _USER = "measured", "user"
_OWNER: Final = PassageOwner(DEFAULT_TENANT, AgentId(_AGENT), UserId(_USER))

Ranking = list[str]
Figures = dict[str, float]
Asking = tuple[Question, Ranking]


async def main() -> None:
    """Print the table, or with `--json` the figures."""
    parser = argparse.ArgumentParser(prog="bench/recall", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="conversations in LoCoMo's format")
    parser.add_argument("--embedder", default="static", help="as WELLKEPT_EMBEDDER names them: static, onnx, none, …")
    parser.add_argument(
        "--passages", type=int, default=0, help="measure speed with so many passages of one user as well"
    )
    parser.add_argument("--json", action="store_true", help="print figures instead of tables")
    told = parser.parse_args()
    if not told.data.is_file():
        parser.error(f"{told.data} is not there; the conversations are no part of this project")
    loaded = conversations(told.data)
    embedder = open_embedder(told.embedder)
    quality, speed = await _measured(loaded, embedder)
    if told.passages:
        speed |= await _large(loaded, embedder, told.passages)
    if told.json:
        json.dump({"embedder": told.embedder, "quality": quality, "speed": speed}, sys.stdout, indent=1)
        print()
    else:
        _print(quality, speed)


async def _measured(
    loaded: Sequence[Conversation], embedder: Embedder | None
) -> tuple[dict[str, dict[str, Figures]], Figures]:
    asked: defaultdict[str, list[Asking]] = defaultdict(list)
    spent: defaultdict[str, list[float]] = defaultdict(list)
    for conversation in loaded:
        for name, using in (("words", None), ("recipe", embedder)):
            if name == "recipe" and embedder is None:
                continue
            async with InProcessRecall(embedder=using or "none") as recall:
                wall = time.perf_counter()
                for session, messages in conversation.sessions.items():
                    await recall.ingest(messages, agent=_AGENT, user_id=_USER, session_id=session)
                spent[f"ingest {name}"].append(time.perf_counter() - wall)
                await recall.search("warm", agent=_AGENT, user_id=_USER)
                for question in conversation.questions:
                    wall, cpu = time.perf_counter(), time.process_time()
                    found = await recall.search(question.text, agent=_AGENT, user_id=_USER, limit=max(DEPTHS))
                    spent[f"cpu {name}"].append(time.process_time() - cpu)
                    spent[f"wall {name}"].append(time.perf_counter() - wall)
                    asked[name].append((question, [hit.passage.message for hit in found.data]))
        for name, rankings in (await _textbook(conversation, embedder)).items():
            asked[name] += zip(conversation.questions, rankings, strict=True)
    order = [name for name in ("bm25", "vectors", "rrf", "words", "recipe") if name in asked]
    messages = sum(len(each) for conversation in loaded for each in conversation.sessions.values())
    best = order[-1]
    return {name: _by_category(asked[name]) for name in order}, {
        "passages per second": messages / sum(spent[f"ingest {best}"]),
        "queries per second": len(spent[f"wall {best}"]) / sum(spent[f"wall {best}"]),
        "CPU ms per query": 1000 * sum(spent[f"cpu {best}"]) / len(spent[f"cpu {best}"]),
    }


async def _textbook(conversation: Conversation, embedder: Embedder | None) -> dict[str, list[Ranking]]:
    """Rank by BM25 over a message's own text, by cosine, and by the ranks of both (reciprocal rank fusion)."""
    shelf, vectors = Shelf(semantic=True), list[Vector]()
    passages = [
        passage
        for session, said in conversation.sessions.items()
        for message in messages_of(_OWNER, SessionId(session), said)
        for passage in message
    ]
    if embedder is not None:
        vectors = await embedder.embed([spoken(each.speaker, each.at, each.text) for each in passages])
    for at, passage in enumerate(passages):
        vector = vectors[at] if vectors else None
        shelf.put(StoredPassage(passage=passage, revision=at, entry=analysed(passage.text).encode(), vector=vector))
    names = [passage.message for passage in passages]
    rankings: defaultdict[str, list[Ranking]] = defaultdict(list)
    for question in conversation.questions:
        terms = weighed(query_terms(question.text), shelf.postings, len(passages))
        words = fast_scores.own_sums(terms, shelf.columns, shelf.average_length)
        rankings["bm25"].append(_ranked(words, names))
        if embedder is not None and shelf.matrix is not None:
            (asked,) = await embedder.embed([question.text], query=True)
            cosines = shelf.matrix.cosines(asked, len(passages))
            assert cosines is not None
            rankings["vectors"].append(_ranked(cosines, names))
            both = sum(1.0 / (_RRF + 1 + np.argsort(np.argsort(-each, kind="stable"))) for each in (words, cosines))
            rankings["rrf"].append(_ranked(np.asarray(both), names))
    return rankings


def _ranked(scores: fast_scores.Numbers, names: Sequence[str]) -> Ranking:
    order = np.argsort(-np.round(scores, 9), kind="stable")
    return list(dict.fromkeys(names[at] for at in order))[: max(DEPTHS)]


async def _large(loaded: Sequence[Conversation], embedder: Embedder | None, passages: int) -> Figures:
    """Give one user so many passages, which repeat what the conversations hold, and ask the questions again."""
    questions = [question for conversation in loaded for question in conversation.questions][:200]
    async with InProcessRecall(embedder=embedder or "none") as recall:
        wall, cpu, kept, turn = time.perf_counter(), time.process_time(), 0, 0
        while kept < passages:
            for conversation in loaded:
                for session, messages in conversation.sessions.items():
                    some = messages[: passages - kept]
                    if some:
                        await recall.ingest(some, agent=_AGENT, user_id=_USER, session_id=f"{turn}-{session}")
                    kept += len(some)
                turn += 1
        ingest, ingest_cpu = time.perf_counter() - wall, time.process_time() - cpu
        wall = time.perf_counter()
        await recall.search("warm", agent=_AGENT, user_id=_USER)
        load, cpu = time.perf_counter() - wall, time.process_time()
        for question in questions:
            await recall.search(question.text, agent=_AGENT, user_id=_USER)
        each = (time.process_time() - cpu) / len(questions)
    return {
        f"passages per second, {passages} of one user": kept / ingest,
        f"CPU ms per passage, {passages} of one user": 1000 * ingest_cpu / kept,
        f"seconds to load the index, {passages}": load,
        f"CPU ms per query, {passages} of one user": 1000 * each,
    }


def _by_category(asked: Sequence[Asking]) -> dict[str, Figures]:
    groups: dict[str, list[Asking]] = {"all": list(asked)}
    for each in asked:
        groups.setdefault(each[0].category, []).append(each)
    return {name: _figures(group) for name, group in sorted(groups.items())}


def _figures(asked: Sequence[Asking]) -> Figures:
    def mean(measure: Callable[[Question, Ranking], float]) -> float:
        return 100 * sum(measure(question, ranking) for question, ranking in asked) / len(asked)

    figures = {
        f"R@{depth}": mean(lambda question, ranking, k=depth: _recall(question, ranking[:k])) for depth in DEPTHS
    }
    return {"questions": len(asked), **figures, "MRR": mean(_reciprocal), "nDCG@10": mean(_gain)}


def _recall(question: Question, ranking: Ranking) -> float:
    return len(question.evidence.intersection(ranking)) / len(question.evidence)


def _reciprocal(question: Question, ranking: Ranking) -> float:
    return next((1 / place for place, name in enumerate(ranking, 1) if name in question.evidence), 0.0)


def _gain(question: Question, ranking: Ranking) -> float:
    gained = sum(1 / np.log2(place + 1) for place, name in enumerate(ranking[:10], 1) if name in question.evidence)
    return float(gained / sum(1 / np.log2(place + 1) for place in range(1, min(len(question.evidence), 10) + 1)))


def _print(quality: dict[str, dict[str, Figures]], speed: Figures) -> None:
    columns = [*(f"R@{depth}" for depth in DEPTHS), "MRR", "nDCG@10"]
    print("| method | questions | n | " + " | ".join(columns) + " |")
    print("|---|---|---:|" + "---:|" * len(columns))
    for name, groups in quality.items():
        for group, figures in groups.items():
            cells = " | ".join(f"{figures[column]:.1f}" for column in columns)
            print(f"| {name} | {group} | {figures['questions']:.0f} | {cells} |")
    print()
    for name, figure in speed.items():
        print(f"{name}: {figure:,.2f}")


if __name__ == "__main__":
    asyncio.run(main())
