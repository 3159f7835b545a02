"""The numbers of the recipe, in one place. `docs/why/recall.md` says what each of them gives."""

from typing import Final

NEAR_WORDS: Final = 40
"""The first words of a message stand for it where its neighbours are searched."""

K1: Final = 1.2
"""BM25: how soon another occurrence of a term stops counting."""

LENGTH: Final = 0.75
"""BM25: how much a longer text has to say to count the same."""

CONTEXT: Final = 0.3
"""What a term in a neighbouring turn is worth, beside one in the passage's own text."""

RELATIVE: Final = 0.5
"""What another form of a word is worth that nobody said as it was asked."""

WORDS: Final = 0.30
MEANING: Final = 0.70
SPEAKER: Final = 0.20
SESSION: Final = 0.15
"""What each part of a score counts: words against the best of the words, meaning as the cosine, being said by
whom the query names, and standing in a session with the query's words. What was not asked of any is left out."""

SHORT: Final = 2.0
"""A text of so many telling terms counts half for its meaning: it is mostly who and when, whatever was said."""

DIVERSITY: Final = 0.9
"""Among the best, what a passage's own score is worth; the rest is how unlike it is to those above it."""

DIVERSE: Final = 30
"""So many of the best are ordered by that."""

MOST_TERMS: Final = 64
"""Of a longer query the rarest terms are kept, by how many passages have them."""

LONGEST_QUERY: Final = 50_000
"""Characters of a query that are read."""
