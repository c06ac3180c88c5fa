"""Run `bodytext completion`, which prints what makes a shell complete commands and options."""

import argparse
import shlex
from collections.abc import Mapping

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, print_text
from bodytext.cli.options import Parser
from bodytext.methods.registry import Registry

# All that are installed, ours and those of other packages, by their entry points.
_COMMANDS: Registry[Command] = Registry("bodytext.commands", {})
_SHELLS = ("bash", "zsh", "fish")
_BASH = """\
_bodytext() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} options
    case "${{COMP_WORDS[1]}}" in
{cases}
        *) options={default} ;;
    esac
    if [ "$COMP_CWORD" = 1 ]; then options="$options {commands}"; fi
    COMPREPLY=( $(compgen -W "$options" -- "$word") $(compgen -f -- "$word") )
}}
complete -o filenames -F _bodytext bodytext"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        'Prints completions for a shell. In ~/.bashrc or ~/.zshrc: eval "$(bodytext completion bash)", or zsh; '
        "for fish: bodytext completion fish > ~/.config/fish/completions/bodytext.fish"
    )
    parser.add_argument("shell", choices=_SHELLS, help="the shell to write for")
    parser.set_defaults(run=_complete)


def _complete(options: argparse.Namespace) -> int:
    commands = {name: _list_options(name) for name in _COMMANDS}
    if options.shell == "fish":
        print_text(_write_fish(commands))
    else:
        text = _write_bash(commands)
        print_text(f"{_ZSH}\n{text}" if options.shell == "zsh" else text)
    return DONE


def _list_options(name: str) -> dict[str, str]:
    """Return the long options of a command and of its own commands, with their help."""
    parser = Parser(prog=f"bodytext {name}")
    _COMMANDS[name].add_options(parser)
    waiting, found = [parser], dict[str, str]()
    while waiting:
        for action in waiting.pop()._actions:
            if isinstance(action, argparse._SubParsersAction):
                found |= dict.fromkeys(action.choices, "")
                waiting += action.choices.values()
            found |= {
                option: action.help or "" for option in action.option_strings if option[:2] == "--"
            }
    return found


def _write_bash(commands: Mapping[str, Mapping[str, str]]) -> str:
    cases = [
        f"        {name}) options={shlex.quote(' '.join(options))} ;;"
        for name, options in commands.items()
    ]
    default = shlex.quote(" ".join(commands["extract"]))
    return _BASH.format(cases="\n".join(cases), default=default, commands=" ".join(commands))


def _write_fish(commands: Mapping[str, Mapping[str, str]]) -> str:
    names = " ".join(commands)
    lines = [
        f"complete -c bodytext -n '__fish_use_subcommand' -a {name} -d {_quote(_COMMANDS[name].summary)}"
        for name in commands
    ]
    for name, options in commands.items():
        seen = f"__fish_seen_subcommand_from {name}"
        if name == "extract":
            seen += f"; or not __fish_seen_subcommand_from {names}"
        lines += [
            f"complete -c bodytext -n '{seen}' -l {option[2:]} -d {_quote(text)}"
            for option, text in options.items()
            if option.startswith("--")
        ]
    return "\n".join(lines)


def _quote(text: str) -> str:
    return "'" + text.replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'") + "'"


COMMAND = Command("print completions for bash, zsh or fish", add_options)
