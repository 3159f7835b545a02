"""`wellkept doctor`: whether all is well."""

from wellkept.cli.command import Run, command, group
from wellkept.cli.exit_codes import FAILED
from wellkept.cli.progress import waiting

app = group()


@command(app, "doctor")
async def doctor(run: Run) -> int | None:
    """Look at versions, settings and the store or server. Fails when something is wrong."""
    with waiting("Looking at everything"):
        from wellkept.cli.diagnosis import diagnose  # what it needs takes its time to import

        found = await diagnose(run.options)
    if run.out.json:
        run.out.value(found)
    else:
        for check in found.checks:
            run.out.line(f"{'ok  ' if check.ok else 'BAD '} {check.name:<12} {check.detail}")
        for name, value in found.settings.items():
            run.out.line(f"     {name} = {value}")
    return None if found.ok else FAILED
