"""``ugt completion`` and ``ugt man``: what a shell and a manual reader need, made from the parser."""

from __future__ import annotations

import argparse
from typing import Any

from .command import add_help, new_command


def add(commands: Any) -> None:
    """The commands and their options."""
    parser = new_command(
        commands,
        "completion",
        run=completion,
        help="print a completion file for a shell",
        usage="{bash,zsh,fish}",
        text="""
        Prints a file that lets the shell complete commands, options, their choices and file names. For one bash session:
        source <(ugt completion bash). For good, write it where the shell looks: ~/.local/share/bash-completion/completions/ugt for
        bash, _ugt in a folder of $fpath for zsh, ~/.config/fish/completions/ugt.fish for fish.""",
        examples="""
        ugt completion bash > ugt.bash
        ugt completion zsh > _ugt
        ugt completion fish > ugt.fish
        """,
    )
    group = parser.add_argument_group("about")
    group.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")
    add_help(group)

    parser = new_command(
        commands,
        "man",
        run=_man,
        help="print the manual page",
        usage="> ugt.1",
        text="""
        Prints the manual page of all commands in roff. man -l ugt.1 shows it; in ~/.local/share/man/man1, man ugt finds it.""",
        examples="""
        ugt man > ugt.1
        """,
    )
    add_help(parser.add_argument_group("about"))


def completion(options: argparse.Namespace) -> None:
    from . import completion  # noqa: PLC0415  (what only this needs)

    print(completion.SHELLS[options.shell](options.parser), end="")


def _man(options: argparse.Namespace) -> None:
    from .man import page  # noqa: PLC0415  (what only this needs)

    print(page(options.parser), end="")
