"""Facts from any model that pydantic-ai speaks to."""

from collections.abc import Sequence
from typing import Final

import pydantic_ai
from pydantic import BaseModel
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from wellkept.contract.extractor import MAX_FACT_CHARS, MOST_FACTS, Extractor, Fact
from wellkept.model.passages import Said
from wellkept.rules.directive import DATA_NOTE
from wellkept.rules.escape import as_data
from wellkept.runtime.failures import BadAnswers, provider_failures

MAX_MESSAGE_CHARS: Final = 4_000
"""What a model is shown of one message: its beginning."""

MAX_CHARS: Final = 60_000
"""What a model is shown of messages together: the latest of them."""

_SECONDS: Final = 60.0
_REQUESTS: Final = 3

_INSTRUCTIONS: Final = (
    f"From the messages below, write down at most {MOST_FACTS} facts that are worth remembering in later "
    "conversations: who people are, what they like, plan, decided or did, with names, dates and numbers as they were "
    f"said. Each is one sentence of at most {MAX_FACT_CHARS} characters that can be understood on its own, in the "
    "language of the message, and names the numbers of the messages that say it. Write nothing that no message says; "
    f"when nothing is worth it, give no facts. {DATA_NOTE}"
)


class _Fact(BaseModel):
    """One fact."""

    text: str
    messages: list[int]


class _Facts(BaseModel):
    """What is worth remembering."""

    facts: list[_Fact]


class ModelExtractor(Extractor):
    """Asks a model. What it answers is a proposal: `wellkept.services.facts` checks it."""

    def __init__(self, model: Model, *, seconds: float = _SECONDS) -> None:
        """Ask `model`, which gets `seconds` for an answer."""
        self._model = model
        self._seconds = seconds

    async def facts(self, messages: Sequence[Said]) -> list[Fact]:
        """Give what is worth keeping of these messages."""
        asking = pydantic_ai.Agent(
            self._model, output_type=_Facts, instructions=_INSTRUCTIONS, capabilities=[BadAnswers()]
        )
        limits = UsageLimits(request_limit=_REQUESTS)
        with provider_failures(self._model.model_name):
            answer = await asking.run(_shown(messages), usage_limits=limits, timeout=self._seconds)
        return [Fact(text=fact.text.strip(), sources=tuple(fact.messages)) for fact in answer.output.facts]


def _shown(messages: Sequence[Said]) -> str:
    """Write the messages as numbered lines of data; of too much, what was said last."""
    parts: list[str] = []
    room = MAX_CHARS
    for number, said in reversed(list(enumerate(messages))):
        text = as_data(f"{said.speaker}:\n{said.text[:MAX_MESSAGE_CHARS]}")
        part = f"Message {number} ({said.at.date().isoformat()})\n\n{text}"
        room -= len(part)
        if room < 0:
            break
        parts.append(part)
    return "\n\n".join(reversed(parts))
