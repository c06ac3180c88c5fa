"""Find the commands by name, ours and those of other packages.

To add a command, write a module with a `COMMAND`, and name it here. A command's
module is imported when the command runs, or to list the commands.
"""

from bodytext.cli.command import Command
from bodytext.methods.registry import Registry

COMMANDS: Registry[Command] = Registry(
    "bodytext.commands",
    {
        "extract": "bodytext.cli.extract:COMMAND",
        "explain": "bodytext.cli.explain:COMMAND",
        "inspect": "bodytext.cli.inspect:COMMAND",
        "label": "bodytext.cli.label:COMMAND",
        "reader": "bodytext.cli.reader:COMMAND",
        "corpus": "bodytext.cli.corpus:COMMAND",
        "methods": "bodytext.cli.methods:COMMAND",
        "cuter": "bodytext.cli.cuter:COMMAND",
        "evaluate": "bodytext.cli.evaluate:COMMAND",
        "train": "bodytext.cli.train:COMMAND",
        "serve": "bodytext.cli.serve:COMMAND",
        "mcp": "bodytext.cli.mcp:COMMAND",
        "completion": "bodytext.cli.completion:COMMAND",
    },
)
