"""How a command is made: its own arguments, the options that all have, and one way to run and to fail."""

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import typer

from wellkept.cli.options import Options, everywhere
from wellkept.cli.output import Output
from wellkept.cli.performing import perform
from wellkept.cli.progress import waiting

if TYPE_CHECKING:
    from wellkept.cli.backend import Backend, BlockBackend

P = ParamSpec("P")
T = TypeVar("T")


def group(name: str | None = None, help: str | None = None) -> typer.Typer:
    """Make a group of commands; without a name its commands stand at the top."""
    # Without the markup, help is plain, and there in half the time.
    return typer.Typer(name=name, help=help, no_args_is_help=name is not None, rich_markup_mode=None)


class Run:
    """One run of a command: what it works on, and how it answers."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.out = Output(json=options.json)

    async def ask(self, work: "Callable[[Backend], Awaitable[T]]", *, told: str = "Working") -> T:
        """Open the store or the server, do `work` there, and let go of it.

        Raises:
            WellkeptError: It cannot be opened, or `work` cannot be done.
        """
        with waiting(told):
            from wellkept.cli.opening import open_backend  # what it needs takes its time to import

            async with open_backend(self.options) as backend:
                return await work(backend)

    async def ask_blocks(self, work: "Callable[[BlockBackend], Awaitable[T]]", *, told: str = "Working") -> T:
        """Do `work` as `ask` does, where a store that keeps nothing but blocks will do.

        Raises:
            WellkeptError: It cannot be opened, or `work` cannot be done.
        """
        with waiting(told):
            from wellkept.cli.opening import open_blocks

            async with open_blocks(self.options) as backend:
                return await work(backend)

    def more(self, cursor: str | None) -> None:
        """Tell that a list goes on."""
        if cursor is not None:
            self.out.note(f"There is more: --cursor {cursor}")


# Any: a coroutine's inner types are the loop's business. The int is an exit code, None is success.
Ended = Coroutine[Any, Any, int | None]


def command(
    app: typer.Typer, name: str, *, taking: Callable[..., Options] = everywhere
) -> Callable[[Callable[Concatenate[Run, P], Ended]], Callable[Concatenate[Run, P], Ended]]:
    """Add a function to `app` as the command `name`. Its first argument is the run; the command line gives the others.

    `taking` says which common options it has, by its own signature.
    """

    def add(function: Callable[Concatenate[Run, P], Ended]) -> Callable[Concatenate[Run, P], Ended]:
        # By its own signature, which the command line is made of: what comes in is what it takes.
        begin: Callable[..., Ended] = function
        common = inspect.signature(taking).parameters
        own = list(inspect.signature(function).parameters.values())[1:]

        def called(**given: object) -> None:
            run = Run(taking(**{name: given.pop(name) for name in common}))
            code = perform(partial(begin, run, **given), out=run.out, debug=run.options.debug)
            if code:
                raise typer.Exit(code)

        called.__doc__ = function.__doc__
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, *common.values()]}
        # What typer looks at; a function's own attribute of this name is what `inspect` documents for that.
        called.__dict__["__signature__"] = inspect.Signature(
            [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in [*own, *common.values()]]
        )
        app.command(name)(called)
        return function

    return add
