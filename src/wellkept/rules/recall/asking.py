"""What a query looks for: the terms it is made of, each with what it is worth among these passages."""

from collections.abc import Sequence
from math import log

from wellkept.rules.recall.analysis import COMMON_MARK, analysed_terms
from wellkept.rules.recall.postings import Posting, Postings
from wellkept.rules.recall.weights import LONGEST_QUERY, MOST_TERMS, RELATIVE


def query_terms(query: str) -> list[str]:
    """Return the terms of a query, each once; common ones only if there are no others."""
    ordered, beside = analysed_terms(query[:LONGEST_QUERY])
    every = list(dict.fromkeys([*ordered, *beside]))
    return [term for term in every if not term.startswith(COMMON_MARK)] or every


def rarity(passages: int, having: int) -> float:
    """Return what a term is worth that so many passages have: the idf of BM25."""
    return log(1.0 + (passages - having + 0.5) / (having + 0.5))


def weighed(terms: Sequence[str], postings: Postings, passages: int) -> list[tuple[Posting, float]]:
    """Return the postings of what is looked for, with their worth.

    A term that nobody used stands for its other forms, at less. Of too many
    the rarest are kept; those that no passage has count last.
    """
    if len(terms) > MOST_TERMS:
        told = [(postings.count(term), at) for at, term in enumerate(terms)]
        kept = sorted((count == 0, count, at) for count, at in told)[:MOST_TERMS]
        terms = [terms[at] for at in sorted(at for _, _, at in kept)]
    found: list[tuple[Posting, float]] = []
    for term in terms:
        posting = postings.get(term)
        if posting is not None:
            found.append((posting, rarity(passages, len(posting))))
            continue
        for other in postings.relatives(term):
            posting = postings.get(other)
            if posting is not None:
                found.append((posting, RELATIVE * rarity(passages, len(posting))))
    return found
