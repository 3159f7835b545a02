"""From what pydantic-ai and a provider's client raise to our errors.

Never with their messages: a provider's answer may repeat what the user said,
and errors get logged. The cause is kept.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    AgentRunError,
    ConcurrencyLimitExceeded,
    ContentFilterError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelHTTPError,
    ModelTimeoutError,
    RunTimedOut,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext

from wellkept.model.errors import Misconfigured, ModelFailed

_TRANSLATED = (AgentRunError, UserError, FallbackExceptionGroup)


class BadAnswers(AbstractCapability[object]):
    """Takes what pydantic-ai itself trips over in a provider's answer for what it is: the provider's failure."""

    async def on_model_request_error(
        self, ctx: RunContext[object], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """Let the errors pass that say what they are; any other is an answer that nobody could read."""
        if isinstance(error, _TRANSLATED):
            raise error
        raise UnexpectedModelBehavior(f"the provider's answer led to {type(error).__name__}") from error


Reason = Literal["deadline", "timeout", "http", "unreachable", "limit", "filtered", "unexpected", "failed"]


@contextmanager
def provider_failures(model: str) -> Generator[None]:
    """Turn what goes wrong between the agent loop and its provider into `ModelFailed`.

    Raises:
        ModelFailed: The provider failed. `reason` says how, `status` is the HTTP status, if there was one.
        Misconfigured: The agent loop refuses how it is used, by one of the agent's own tools, say.
    """
    try:
        yield
    except UserError as error:
        raise Misconfigured(model=model, do="see the cause: the agent's tools or model are not usable so") from error
    except ModelHTTPError as error:
        raise ModelFailed(model=model, reason="http", status=error.status_code) from error
    except FallbackExceptionGroup as error:
        raise ModelFailed(model=model, reason="failed", tried=len(error.exceptions)) from error
    except AgentRunError as error:
        raise ModelFailed(model=model, reason=_reason(error)) from error


def _reason(error: AgentRunError) -> Reason:
    match error:
        case RunTimedOut():
            return "deadline"
        case ModelTimeoutError():
            return "timeout"
        case ModelAPIError():
            return "unreachable"
        case UsageLimitExceeded() | ConcurrencyLimitExceeded():
            return "limit"
        case ContentFilterError():
            return "filtered"
        case UnexpectedModelBehavior():
            return "unexpected"
        case _:
            return "failed"
