"""What every embedder does, whatever model is behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hypermnesia.adapters.onnx import VOCABULARY, ModelFileError, OnnxEmbedder
from hypermnesia.ports import Embedder
from hypermnesia.ports.models import TOKEN_BYTES

FACTORIES: list[Any] = [pytest.param(OnnxEmbedder, id="onnx_minilm")]

TEXTS = [
    "I adopted a puppy last week.",
    "",
    "   \n\t",
    "Ich habe letzte Woche einen Hund adoptiert.",
    "我上周领养了一只小狗。",
    "подруга переехала в Берлин",
    "🎉🎉",
    "\u200b\ufeff",
    "\ud83d lone surrogate",
    "a\x00b",
    "x" * 5_000,
    "every word of a long message " * 400,
    "Yes.",
    "I adopted a puppy last week.",
    *(f"turn {n}: " + "we talked about the garden " * (n % 7) for n in range(20)),
]


@pytest.fixture(scope="module", params=FACTORIES)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    factory: Callable[[], Embedder] = request.param
    return factory()


@pytest.fixture(scope="module")
def vectors(embedder: Embedder) -> np.ndarray[Any, np.dtype[np.float32]]:
    return embedder.embed(TEXTS)


def test_one_unit_vector_a_text(embedder: Embedder, vectors: np.ndarray[Any, Any]) -> None:
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_are_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_a_text_has_the_same_vector_alone_and_in_any_batch(embedder: Embedder, vectors: np.ndarray[Any, Any]) -> None:
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert np.array_equal(embedder.embed([text])[0], vector), text[:40]
    for size in (2, 5, 11):
        parts = [embedder.embed(TEXTS[i : i + size]) for i in range(0, len(TEXTS), size)]
        assert np.array_equal(np.concatenate(parts), vectors), size


def test_a_texts_tokens_come_with_the_vector_of_all_that_was_read(
    embedder: Embedder, vectors: np.ndarray[Any, Any]
) -> None:
    alone, tokens = embedder.embed_tokens([("", text) for text in TEXTS])
    assert np.array_equal(alone, vectors)
    assert all(len(t.pack()) <= TOKEN_BYTES for t in tokens)
    assert all(t.vectors.any(axis=1).all() and len(t.pieces) == len(t.vectors) for t in tokens)
    both, after = embedder.embed_tokens([("Ben: What did you adopt?\n", TEXTS[0]), ("", TEXTS[0])])
    assert np.array_equal(both[0], embedder.embed(["Ben: What did you adopt?\n" + TEXTS[0]])[0])
    assert after[0].pieces.tolist() == after[1].pieces.tolist()
    assert not np.array_equal(after[0].vectors, after[1].vectors)
    assert embedder.embed_tokens([])[1] == []


def test_like_words_have_like_tokens(embedder: Embedder) -> None:
    _, tokens = embedder.embed_tokens([("", "puppy"), ("", "dog"), ("", "tax return")])
    puppy, dog, tax = (t.vectors.astype(float)[0] / np.linalg.norm(t.vectors.astype(float)[0]) for t in tokens)
    assert puppy @ dog > puppy @ tax + 0.2


def test_the_order_of_texts_changes_nothing(embedder: Embedder, vectors: np.ndarray[Any, Any]) -> None:
    order = np.random.default_rng(7).permutation(len(TEXTS))
    assert np.array_equal(embedder.embed([TEXTS[i] for i in order]), vectors[order])


def test_a_second_embedder_gives_the_same_vectors(embedder: Embedder, vectors: np.ndarray[Any, Any]) -> None:
    other = type(embedder)()
    assert other.model == embedder.model
    assert np.array_equal(other.embed(TEXTS[:6]), vectors[:6])


def test_equal_texts_have_equal_vectors_and_others_do_not(vectors: np.ndarray[Any, Any]) -> None:
    assert np.array_equal(vectors[0], vectors[13])
    assert not np.allclose(vectors[0], vectors[12])


def test_what_means_the_same_is_nearer(embedder: Embedder) -> None:
    puppy, dog, tax = embedder.embed(["I adopted a puppy.", "She got a new dog.", "The tax form is due in April."])
    assert puppy @ dog > puppy @ tax + 0.2


def test_an_altered_model_is_refused_by_name(tmp_path: Path) -> None:
    altered = tmp_path / "model.onnx"
    altered.write_bytes(b"not the model")
    with pytest.raises(ModelFileError, match=r"model\.onnx: sha256 .* expected .*uv sync"):
        OnnxEmbedder(model_file=altered).embed(["hello"])


def test_an_altered_vocabulary_is_refused_by_name(tmp_path: Path) -> None:
    altered = tmp_path / "minilm_vocab.txt"
    altered.write_bytes(VOCABULARY.read_bytes() + b"extra\n")
    with pytest.raises(ModelFileError, match=r"minilm_vocab\.txt: sha256 .*uv sync"):
        OnnxEmbedder(vocabulary_file=altered).embed(["hello"])


def test_a_missing_model_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"gone\.onnx: cannot be read .*uv sync"):
        OnnxEmbedder(model_file=tmp_path / "gone.onnx").embed(["hello"])
