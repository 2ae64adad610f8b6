"""A model measured on labelled data: as an extractor of dialogues, and as a judge of pairs of names."""

from __future__ import annotations

from pathlib import Path

from model_homes import Scripted, model_app, use

from hypermnesia.adapters.spacy import LinguisticExtractor
from hypermnesia.contracts.labelled import LabelledDialogue, LabelledPair
from hypermnesia.home_evaluation import measured_extractor, model_judge
from hypermnesia.inspection.extraction_evaluation import evaluate_extraction, passage_of
from hypermnesia.ports import Completion, Request
from hypermnesia.rules.name_quality import evaluate_pairs
from tests.fixtures.scripted_model import AlwaysOpen, KnownPassages

GOLD = Path(__file__).parents[1] / "fixtures" / "gold_sentences.jsonl"
PAIRS = [
    LabelledPair(a="Bob Stone", b="Robert Stone", type="person", label=1, kind="nickname"),
    LabelledPair(a="Trek 820", b="Trek 850", type="object", label=0, kind="version"),
    LabelledPair(a="Ann Lee", b="Anna Lee", type="person", label=0, kind="other"),
]
#: What the judge says of each pair, by the rarer name.
SAID = {
    "Bob Stone": ('{"verdict":"same","candidate":1}', "ok"),
    "Trek 820": ('{"verdict":"same","candidate":1}', "ok"),
    "Ann Lee": ("", "truncated"),
}


class Judge(AlwaysOpen):
    """Answers about a pair by its name."""

    async def generate(self, request: Request) -> Completion:
        text, status = next(said for name, said in SAID.items() if f"\n{name} (" in request.messages[-1][1])
        return Completion(request.id, status, text, self.model)


def gold(n: int) -> list[LabelledDialogue]:
    lines = GOLD.read_text(encoding="utf-8").splitlines()[:n]
    return [LabelledDialogue.model_validate_json(line) for line in lines]


def test_a_model_that_reads_as_the_linguistic_extractor_scores_as_it_does(tmp_path: Path) -> None:
    dialogues = gold(12)
    passages = [passage_of(dialogue) for dialogue in dialogues]
    linguistic = LinguisticExtractor()
    known = KnownPassages([(p, r.made) for p, r in zip(passages, linguistic.read(passages), strict=True)])
    app = use(model_app(tmp_path, mode="writers"), Scripted(known))
    by_model = evaluate_extraction(dialogues, measured_extractor(app))
    wanted = evaluate_extraction(dialogues, linguistic)
    assert list(by_model) == list(wanted)
    for split, score in by_model.items():  # (a frame of one anchor and a speaker may not be grounded)
        for kind in ("fact", "time", "modality"):
            assert score.of(kind) == wanted[split].of(kind), kind
    assert not app.lake.read("answers").num_rows, "measuring keeps nothing"


def test_a_models_judge_on_labelled_pairs(tmp_path: Path) -> None:
    """A failed answer is no verdict."""
    app = use(model_app(tmp_path), Judge)
    counts = evaluate_pairs(PAIRS, model_judge(app, PAIRS))
    assert [counts[kind]["same_right"] for kind in ("nickname", "version")] == [1, 0]
    assert counts["version"]["same_wrong"] == 1 and counts["other"]["unsure"] == 1


def test_a_dialogue_that_nobody_answered_for_is_no_miss(tmp_path: Path) -> None:
    app = use(model_app(tmp_path), Scripted(KnownPassages([]), lambda *_: "engine_error"))
    (score,) = evaluate_extraction(gold(1), measured_extractor(app)).values()
    assert score.n_unread == 1 and not score.missed.total()
