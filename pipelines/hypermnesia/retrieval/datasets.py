"""Labelled questions of LoCoMo, LongMemEval and own files, with their broken labels counted and never guessed.

LoCoMo's categories: 1 multi-hop, 2 temporal, 3 open domain, 4 single-hop; 5 (adversarial) asks for what was never
said, so its labels are of no evidence (Maharana et al. 2024, arXiv 2402.17753). LongMemEval marks the turns that
answer by `has_answer`; a question id that ends in `_abs` has no answer (Wu et al. 2025, arXiv 2410.10813).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hypermnesia.contracts.labelled import LabelledLine

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open domain", 4: "single-hop"}
ADVERSARIAL = 5

_LABEL = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Labelled:
    """One question with the ids of the messages that answer it; none where the memory holds no answer.

    `answer` is the reference that a judge compares with; None where the labels name none.
    """

    user: str
    question: str
    category: str
    evidence: frozenset[str]
    as_of: str | None = None
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Labels:
    """Questions with evidence and without an answer; how many labels were broken.

    `n_without_evidence` questions named no message that exists, and are left out.
    """

    questions: tuple[Labelled, ...]
    unanswerable: tuple[Labelled, ...] = ()
    n_without_evidence: int = 0
    n_unknown_ids: int = 0


def evidence_ids(written: Iterable[str]) -> list[str]:
    """LoCoMo's ids as its labels write them, repaired: "D8:6; D9:17" is two, "D:11:26" D11:26, "D30:05" D30:5."""
    return [f"D{int(session)}:{int(turn)}" for label in written for session, turn in _LABEL.findall(label)]


def plain_id(native_id: str) -> str:
    """A native id as labels are read: LoCoMo's "D30:05" is D30:5, any other stays."""
    return evidence_ids([native_id])[0] if _LABEL.fullmatch(native_id) else native_id


def read_locomo(path: Path) -> Labels:
    """The labels of a LoCoMo file. Raises `OSError`, and `ValueError` for a file that is none."""
    samples = _samples(path, "sample_id", "LoCoMo")
    questions: list[Labelled] = []
    unanswerable: list[Labelled] = []
    n_without_evidence = n_unknown = 0
    for sample in samples:
        turns = _turn_ids(sample["conversation"])
        for item in sample.get("qa", []):
            user, question = sample["sample_id"], item["question"]
            if item["category"] == ADVERSARIAL:
                unanswerable.append(Labelled(user, question, "unanswerable", frozenset()))
            if item["category"] not in CATEGORIES:
                continue
            ids = set(evidence_ids(item.get("evidence") or []))
            n_unknown += len(ids - turns)
            if ids & turns:
                category = CATEGORIES[item["category"]]
                answer = _written(item.get("answer"))
                questions.append(Labelled(user, question, category, frozenset(ids & turns), answer=answer))
            else:
                n_without_evidence += 1
    return Labels(tuple(questions), tuple(unanswerable), n_without_evidence, n_unknown)


def read_longmemeval(path: Path) -> Labels:
    """The labels of a LongMemEval file. Raises `OSError`, and `ValueError` for a file that is none."""
    questions: list[Labelled] = []
    unanswerable: list[Labelled] = []
    n_without_evidence = 0
    for item in _samples(path, "question_id", "LongMemEval"):
        user, kind = item["question_id"], item.get("question_type", "other")
        as_of = _day(item.get("question_date"))
        if user.endswith("_abs"):
            unanswerable.append(Labelled(user, item["question"], "unanswerable", frozenset(), as_of))
        elif evidence := frozenset(_answering_turns(item)):
            answer = _written(item.get("answer"))
            questions.append(Labelled(user, item["question"], kind, evidence, as_of, answer))
        else:
            n_without_evidence += 1
    return Labels(tuple(questions), tuple(unanswerable), n_without_evidence)


def read_questions(path: Path) -> Labels:
    """The labels of an own file (`contracts/labelled.py`). Raises `ValueError` naming file and line."""
    found: list[Labelled] = []
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                line = LabelledLine.model_validate_json(text)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"])) or "the line"
                raise ValueError(f"{path} line {number}: {where}: {first['msg']}") from error
            evidence = frozenset(line.evidence)
            found.append(Labelled(line.user, line.question, line.category, evidence, line.as_of, line.answer))
    answerable = tuple(q for q in found if q.evidence)
    return Labels(answerable, tuple(q for q in found if not q.evidence))


def _samples(path: Path, key: str, name: str) -> list[dict[str, Any]]:
    samples = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(samples, list) or not all(isinstance(s, dict) and key in s for s in samples):
        raise ValueError(f"{path}: not a {name} file, which is a list of samples with a `{key}`")
    return samples


def _turn_ids(conversation: Mapping[str, Any]) -> set[str]:
    sessions = (value for value in conversation.values() if isinstance(value, list))
    turns = (turn for session in sessions for turn in session if isinstance(turn, dict))
    return set(evidence_ids(str(turn.get("dia_id")) for turn in turns))


def _answering_turns(item: Mapping[str, Any]) -> Iterable[str]:
    """The native ids (as `archives/longmemeval.py` makes them) of turns with `has_answer`."""
    seen: Counter[str] = Counter()
    ids = item.get("haystack_session_ids") or []
    for number, session in enumerate(item["haystack_sessions"]):
        given = str(ids[number]) if number < len(ids) else f"session-{number + 1}"
        name = given.removeprefix("answer_") or given
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}#{seen[name]}"
        turns = session if isinstance(session, list) else []
        yield from (f"{name}_{n}" for n, turn in enumerate(turns, start=1) if turn.get("has_answer"))


def _written(answer: Any) -> str | None:
    """A reference answer as text; files also hold numbers and lists."""
    if isinstance(answer, list):
        return ", ".join(map(str, answer)) or None
    return None if answer is None else str(answer).strip() or None


def _day(written: str | None) -> str | None:
    """ "2023/05/30 (Tue) 22:10" as an ISO day."""
    return written[:10].replace("/", "-") if written else None


QUESTIONS = "questions"  # own lines
DATASETS: Mapping[str, Callable[[Path], Labels]] = {
    "locomo": read_locomo,
    "longmemeval": read_longmemeval,
    QUESTIONS: read_questions,
}
