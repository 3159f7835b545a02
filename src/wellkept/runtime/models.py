"""From the name of a model to the model."""

import re
from typing import Final

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model

from wellkept.model.errors import MissingExtra, ProviderRequired
from wellkept.runtime.offline.model import OFFLINE, offline_model

_EXTRAS: Final = {"openai": "openai", "anthropic": "anthropic"}
"""The packages of providers that wellkept has an extra for; the others are pydantic-ai's extras."""

_VARIABLE: Final = re.compile("`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`")
"""An environment variable, as pydantic-ai's sentences name what they miss."""


class Models:
    """The models that a runtime has used, each with the connections of its provider."""

    def __init__(self) -> None:
        self._known: dict[str, Model] = {}

    def named(self, name: str) -> Model:
        """Give a model by its name: `provider:model` as pydantic-ai has it, or `offline`.

        Raises:
            ProviderRequired: Nobody knows the name, or its provider has no key.
            MissingExtra: The provider's package is not installed.
        """
        if name not in self._known:
            self._known[name] = offline_model() if name == OFFLINE else _infer(name)
        return self._known[name]

    async def close(self) -> None:
        """Close the connections. A model that is asked for again gets new ones."""
        known, self._known = self._known, {}
        for model in known.values():
            async with model:  # leaving it is what closes its client; pydantic-ai has no other way
                pass


def _infer(name: str) -> Model:
    try:
        return infer_model(name)
    except ImportError as error:
        package = _EXTRAS.get(name.partition(":")[0].partition("-")[0])
        extra = f"wellkept[{package}]" if package else "pydantic-ai-slim with the provider's extra"
        raise MissingExtra(model=name, do=f"install {extra}; the cause names the package") from error
    except (UserError, ValueError, LookupError) as error:
        # LookupError and ValueError: what some providers' clients raise for settings of their own.
        raise _unusable(name, error) from error


def _unusable(name: str, error: Exception) -> ProviderRequired:
    """Say in our own words what a model lacks; the cause has the provider's."""
    needed = " or ".join(dict.fromkeys(_VARIABLE.findall(str(error))))
    if needed:
        return ProviderRequired(
            model=name, problem=f"{needed} is not set", do=f"set {needed}, or name another model; `offline` needs none"
        )
    return ProviderRequired(
        model=name,
        problem="no model is called so, or its provider takes other settings",
        do="name it `provider:model`, like openai:gpt-5.2; `offline` needs no provider",
    )
