"""Saying a thing once: the best first, but of two alike the second later.

Maximal marginal relevance (Carbonell and Goldstein, 1998).
"""

from collections.abc import Sequence

from wellkept.rules.recall.weights import DIVERSITY


def diverse_order(scores: Sequence[float], alike: Sequence[Sequence[float]]) -> list[int]:
    """Order what is given best first; `alike` compares each with each. Of equals the earlier one comes first."""
    left = list(range(len(scores)))
    nearest = [0.0] * len(scores)
    order: list[int] = []
    while left:
        best = max(left, key=lambda at: (round(DIVERSITY * scores[at] - (1 - DIVERSITY) * nearest[at], 9), -at))
        order.append(best)
        left.remove(best)
        for at in left:
            nearest[at] = max(nearest[at], alike[best][at])
    return order
