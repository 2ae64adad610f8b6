"""A night whose distiller is a model, by configuration alone: what is asked, kept, learned, and asked no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from homes import make_app
from model_homes import OPEN_GATES, use

from hypermnesia.app import App
from hypermnesia.demo import TASKS
from hypermnesia.engine.progress import Progress
from hypermnesia.rules.skills.asking import SESSION, SKILL
from hypermnesia.stages.ingest import ArchiveInput
from tests.fixtures.scripted_skills import MODEL, RulesAnswers, ScriptedSkills

TASK = "Your task is to: put a clean kettle in the locker."
CHOSEN: dict[str, Any] = {"extractor": "verbatim", "distiller": "model", "model": MODEL, **OPEN_GATES}
ASKS: dict[str, Any] = {"generator": "openai", "openai": {"urls": ["http://nowhere/v1"]}}


def filled(home: Path, **settings: Any) -> App:
    app = make_app(home, **settings)
    app.backfill([ArchiveInput(TASKS)], Progress())
    return app


def scripted(app: App) -> ScriptedSkills:
    """A model with the right answers of the night that comes."""
    right = RulesAnswers()
    for shard in app.skills.stage.plan_nights():
        right.add(app.skills.stage.open_night(shard).night)
    generator = ScriptedSkills(right)
    use(app, lambda: generator)
    return generator


def test_a_night_with_a_model_learns_what_the_logs_bear_out(tmp_path: Path) -> None:
    rules = filled(tmp_path / "rules", extractor="verbatim")
    rules.nightly(Progress())
    home = tmp_path / "model"
    app = filled(home, **CHOSEN, **ASKS)
    generator = scripted(app)
    stages = app.nightly(Progress()).counts()
    assert list(stages).index("propose_skills") + 1 == list(stages).index("distill_skills")
    n_sessions = {m["reason"]: m["n"] for m in stages["distill_skills"]["measures"]}["sessions"]
    assert generator.asked[SESSION] == n_sessions and generator.asked[SKILL] > 0
    assert stages["propose_skills"]["n_out"] == sum(generator.asked.values())
    found = app.skills.find("robot", TASK)["skill"]
    assert (
        found["markdown"].partition("---\n\n")[2]
        == rules.skills.find("robot", TASK)["skill"]["markdown"].partition("---\n\n")[2]
    )
    assert app.skills.show(found["skill_id"])["versions"][0]["judge"] == "model"
    generator.asked.clear()
    assert app.nightly(Progress()).counts()["distill_skills"]["n_in"] == 0 and not generator.asked


def test_without_a_generator_sessions_wait_for_answers(tmp_path: Path) -> None:
    app = filled(tmp_path / "home", **CHOSEN)
    stages = app.nightly(Progress()).counts()
    assert "propose_skills" not in stages and app.skills.find("robot", TASK)["skill"] is None
    asking = make_app(tmp_path / "home", **CHOSEN, **ASKS)
    scripted(asking)
    asking.nightly(Progress())
    assert asking.skills.find("robot", TASK)["skill"] is not None


def test_a_model_that_distils_has_a_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="distiller: model needs `model`"):
        make_app(tmp_path, distiller="model")
