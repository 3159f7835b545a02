"""Saying a thing once: the best first, but of two alike the second later.

Maximal marginal relevance (Carbonell and Goldstein, 1998).
"""

from collections.abc import Sequence

from wellkept.rules.recall.weights import DIVERSITY


def diverse_order(scores: Sequence[float], alike: Sequence[Sequence[float]], *, many: int) -> list[int]:
    """Order the first `many` of what is given best first; `alike` compares all. Of equals the earlier wins."""
    worth = [DIVERSITY * score for score in scores]
    nearest = [0.0] * len(scores)
    left = list(range(len(scores)))
    order: list[int] = []
    while left and len(order) < many:
        best = max(left, key=lambda at: worth[at] - (1 - DIVERSITY) * nearest[at])
        order.append(best)
        left.remove(best)
        told = alike[best]
        for at in left:
            if told[at] > nearest[at]:
                nearest[at] = told[at]
    return order
