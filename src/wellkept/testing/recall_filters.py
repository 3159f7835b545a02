"""Which passages a search looks at: conditions hold before anything is ranked."""

from datetime import timedelta
from typing import Any

import pytest

from wellkept.model import errors
from wellkept.model.ids import SessionId
from wellkept.model.recall import RecallFilter
from wellkept.testing.recall_stage import START, RecallService, RecallStage, said, texts

TALK = [
    said("Dog one.", 1, metadata={"flag": True, "name": "50%_off", "n": 2, "x": 0.5}),
    said("Dog two.", 2, speaker="Sam", metadata={"flag": False, "name": "500_off", "n": 5}),
    said("Dog three.", 3, metadata={"flag": "true", "n": 1, "name": "a_b"}),
    said("Dog four.", 4, metadata={"n": 3, "name": "axb"}),
]
ONE, TWO, THREE, FOUR = (message.text for message in TALK)


def of_session(*sessions: str) -> tuple[SessionId, ...]:
    """Name sessions."""
    return tuple(SessionId(session) for session in sessions)


class RecallFiltersContract(RecallStage):
    """Filters by session, time, speaker and metadata."""

    @pytest.mark.parametrize(
        ("conditions", "found"),
        [
            ({}, [ONE, TWO, THREE, FOUR]),
            ({"sessions": ()}, []),
            ({"sessions": of_session("s1")}, [ONE, TWO]),
            ({"sessions": of_session("s1", "s2")}, [ONE, TWO, THREE, FOUR]),
            ({"except_sessions": of_session("s1")}, [THREE, FOUR]),
            ({"sessions": of_session("s1"), "except_sessions": of_session("s1")}, []),
            ({"sessions": of_session("s")}, []),
            ({"since": START + timedelta(hours=2)}, [TWO, THREE, FOUR]),
            ({"until": START + timedelta(hours=2)}, [ONE]),
            ({"since": START + timedelta(hours=2), "until": START + timedelta(hours=4)}, [TWO, THREE]),
            ({"speaker": "Sam"}, [TWO]),
            ({"speaker": "sam"}, []),
            ({"metadata": {"flag": True}}, [ONE]),
            ({"metadata": {"flag": "true"}}, [THREE]),
            ({"metadata": {"flag": {"ne": True}}}, [TWO, THREE]),
            ({"metadata": {"name": "50%_off"}}, [ONE]),
            ({"metadata": {"name": "a_b"}}, [THREE]),
            ({"metadata": {"n": {"gte": 2, "lt": 5}}}, [ONE, FOUR]),
            ({"metadata": {"n": {"gt": 2}}}, [TWO, FOUR]),
            ({"metadata": {"n": {"lte": 1}}}, [THREE]),
            ({"metadata": {"n": {"in": (1, 5)}}}, [TWO, THREE]),
            ({"metadata": {"n": {"eq": 1}}}, [THREE]),
            ({"metadata": {"x": {"lt": 1}}}, [ONE]),
            ({"metadata": {"n": 1, "name": "axb"}}, []),
            ({"metadata": {"missing": "x"}}, []),
            ({"metadata": {"n": {"in": ()}}}, []),
        ],
    )
    async def test_what_passes_is_found(
        self, recall: RecallService, conditions: dict[str, Any], found: list[str]
    ) -> None:
        await self.keep(recall, *TALK[:2])
        await self.keep(recall, *TALK[2:], session="s2")
        answer = await self.find(recall, "dog", filter=RecallFilter(**conditions))
        assert sorted(texts(answer)) == sorted(found)

    async def test_filters_come_before_the_ranking(self, recall: RecallService) -> None:
        best = [said(f"Dog dog dog number {number}.", number) for number in range(1, 60)]
        await self.keep(recall, *best)
        await self.keep(recall, said("The one with a dog in it.", 70), said("No such animal.", 71), session="s2")
        chosen = RecallFilter(sessions=of_session("s2"))
        assert texts(await self.find(recall, "dog", limit=1, filter=chosen)) == ["The one with a dog in it."]

    @pytest.mark.parametrize(
        "conditions",
        [
            {"sessions": ("",)},
            {"since": START.replace(tzinfo=None)},
            {"until": START.replace(tzinfo=None)},
            {"metadata": {"n": {}}},
            {"metadata": {"n": {"in": 1}}},
            {"metadata": {"n": {"lt": (1,)}}},
            {"metadata": {"": 1}},
            {"metadata": {"n": float("nan")}},
        ],
    )
    def test_what_is_no_condition(self, conditions: dict[str, Any]) -> None:
        with pytest.raises(errors.InvalidInput):
            RecallFilter(**conditions)
