"""The command list of `--help`, with each command's full summary."""

from typing import Any

from typer.core import TyperGroup


class WholeSummaries(TyperGroup):
    """A command group whose help does not truncate summaries."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write every visible command, wrapping its summary over as many lines as it needs."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = [(name, command) for name, command in commands if command is not None and not command.hidden]
        with formatter.section("Commands"):
            formatter.write_dl([(name, (command.help or "").partition("\n\n")[0]) for name, command in shown])
