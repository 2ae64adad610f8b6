"""A sentence as a parser hands it over: plain tokens with Universal-like tags and ClearNLP dependency labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
#: Forms that the rule lemmatizer leaves as they are.
_IRREGULAR = {"forgot": "forget", "forgotten": "forget", "shone": "shine", "awoke": "awake", "shin": "shine"}
_CLITICS = {"'m": "be", "'re": "be", "'ve": "have", "'ll": "will", "n't": "not", "ca": "can", "wo": "will"}


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `head` is an index in the sentence (a root's is its own), `start` and `end` count in the turn.

    `entity` is an entity's type ("GPE") or empty, `span` the number of that entity in the sentence, or -1.
    """

    index: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    entity: str = ""
    span: int = -1

    @property
    def lower(self) -> str:
        """Its text in small letters."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One parsed sentence; `children` are made from the heads."""

    tokens: tuple[Token, ...]
    children: tuple[tuple[int, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        kids: list[list[int]] = [[] for _ in self.tokens]
        for token in self.tokens:
            if token.head != token.index:
                kids[token.head].append(token.index)
        object.__setattr__(self, "children", tuple(tuple(k) for k in kids))

    @property
    def start(self) -> int:
        """Where it starts in the turn."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Where it ends in the turn."""
        return self.tokens[-1].end

    @property
    def is_question(self) -> bool:
        """Whether it ends with a question mark."""
        marks = [t for t in self.tokens[-3:] if not t.text.isalnum()]
        return any("?" in t.text for t in marks)

    def kids(self, index: int, *deps: str) -> list[Token]:
        """The children of a token with one of these labels, in order; all without labels."""
        found = (self.tokens[i] for i in self.children[index])
        return [t for t in found if not deps or t.dep in deps]

    def head(self, token: Token) -> Token:
        """The token above."""
        return self.tokens[token.head]

    def above(self, token: Token) -> Iterator[Token]:
        """The tokens above, from the nearest to the root."""
        while token.head != token.index:
            token = self.tokens[token.head]
            yield token

    def subtree(self, index: int) -> list[Token]:
        """The token and all below it, in order."""
        found, stack = [], [index]
        while stack:
            i = stack.pop()
            found.append(self.tokens[i])
            stack.extend(self.children[i])
        return sorted(found, key=lambda t: t.index)

    def conjuncts(self, token: Token) -> list[Token]:
        """The token and what is joined to it by "and" or "or", in order."""
        found = [token]
        for kid in self.kids(token.index, "conj"):
            found.extend(self.conjuncts(kid))
        return found

    def entity_of(self, token: Token) -> list[Token]:
        """The tokens of its entity, or itself alone."""
        return [t for t in self.tokens if t.span == token.span] if token.span >= 0 else [token]


def plain_lemma(text: str, lemma: str, tag: str, is_before_participle: bool = False) -> str:
    """A lemma in small letters with short forms undone: "'m" is be, "'ve" is have, "'s" of a verb is be or have."""
    low = text.lower()
    if low in _CLITICS:
        return _CLITICS[low]
    if low == "'s" and tag.startswith("V"):
        return "have" if is_before_participle else "be"
    if low == "'d":
        return "have" if is_before_participle else "would"
    return _IRREGULAR.get(lemma.lower(), lemma.lower()) if tag.startswith("V") else lemma.lower()


def between(tokens: Sequence[Token], start: int, end: int) -> list[Token]:
    """The tokens that overlap a span of characters."""
    return [t for t in tokens if t.start < end and start < t.end]
