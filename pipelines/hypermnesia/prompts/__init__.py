"""Prompts as files: front matter (version, answer model, sampling), then the instructions that follow a chunk."""

from __future__ import annotations

from importlib import resources

import yaml

from hypermnesia.contracts import asking, skill_answers  # noqa: F401  (their answers are among ANSWERS then)
from hypermnesia.contracts.answers import ANSWERS
from hypermnesia.rules.prompting import Prompt

_FIELDS = {"version", "answer", "max_tokens", "temperature"}


def load_prompts() -> dict[str, Prompt]:
    """The prompts of the package by name. Raises `ValueError` naming the file and what is wrong with it."""
    files = sorted(f.name for f in resources.files(__name__).iterdir() if f.name.endswith(".md"))
    return {name.removesuffix(".md"): _load(name) for name in files}


def _load(file: str) -> Prompt:
    return read_prompt(file, resources.files(__name__).joinpath(file).read_text(encoding="utf-8"))


def read_prompt(file: str, content: str) -> Prompt:
    """One prompt of a file's content. Raises `ValueError` naming the file."""
    _, front, text = content.split("---\n", 2) if content.startswith("---\n") else ("", "", content)
    fields = yaml.safe_load(front)
    if not isinstance(fields, dict) or set(fields) != _FIELDS:
        raise ValueError(f"prompt {file}: front matter must have exactly {', '.join(sorted(_FIELDS))}")
    if fields["answer"] not in ANSWERS:
        known = ", ".join(sorted(ANSWERS))
        raise ValueError(f"prompt {file}: unknown answer model {fields['answer']!r}; known: {known}")
    if not text.strip():
        raise ValueError(f"prompt {file}: no instructions behind the front matter")
    return Prompt(
        name=file.removesuffix(".md"),
        version=str(fields["version"]),
        text=text.strip(),
        answer=fields["answer"],
        max_tokens=int(fields["max_tokens"]),
        temperature=float(fields["temperature"]),
    )
