"""What a model proposes of one kind of task, held to the experiences that it was shown (DESIGN 6).

A step counts where successes took it in that order and the experiences that it cites have it; where few did, or
where it is to be taken sometimes only, its word must tell those that took it from those that did not. "Whenever" and
"avoid" count where the rules' own figures for them hold. Then the night's checks follow: citations, replay, world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypermnesia.contracts.skill_answers import MOST_SHOWN, MOST_SKILLS, SkillAnswer, SkillLine, SkillLineWhere
from hypermnesia.rules.model_calls import Failure
from hypermnesia.rules.skills.abstraction import Pattern
from hypermnesia.rules.skills.alignment import common_pairs
from hypermnesia.rules.skills.cautions import avoidances_of, reactions_of
from hypermnesia.rules.skills.drafts import Curator, Lines, OpenGroup, with_remedy_citations
from hypermnesia.rules.skills.evidence import Evidence
from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.procedures import SUPPORT, candidates_of, in_todays_words
from hypermnesia.rules.skills.proposals import NO_CONTRAST, OTHER_STEP, Refusal
from hypermnesia.rules.skills.remedies import find_dead
from hypermnesia.rules.skills.versions import Skill, SkillStep

FOREIGN, UNKNOWN_SKILL, STILL_WORKS, NO_ANSWER = "foreign_citation", "unknown_skill", "still_works", "no_answer"

#: Steps that some successes took, and words of the answers before each, that a prompt shows.
MOST_SOMETIMES, _MOST_WORDS = 16, 6

T = TypeVar("T")


@dataclass(frozen=True)
class Sometimes:
    """A step that some successes took, with the usual words of the answers before it, and before the others' steps."""

    pattern: Pattern
    n_with: int
    n_runs: int
    before: tuple[str, ...]
    before_others: tuple[str, ...]


@dataclass(frozen=True)
class ShownGroup:
    """What a curator's prompt shows: experiences and skills in the order of their numbers, from 1.

    Successes that did the same are one number; `alike` says how many they are.
    """

    experiences: tuple[Experience, ...]
    patterns: tuple[tuple[Pattern, ...], ...]
    alike: tuple[int, ...]
    skills: tuple[Skill, ...]
    sometimes: tuple[Sometimes, ...] = ()


#: Of a template what the curator said of its kind of task, and what it was shown.
GroupAnswers = Mapping[str, tuple[ShownGroup, SkillAnswer | Failure]]


def shown_group(opened: OpenGroup, evidence: Evidence, skills: Sequence[Skill]) -> ShownGroup:
    """The experiences of one kind of task, most frequent ways first, then lessons; and the skills, its own first."""
    ways: dict[tuple[Pattern, ...], list[Experience]] = {}
    for experience, steps in opened.group.traces:
        ways.setdefault(tuple(step.pattern for step in steps), []).append(experience)
    for of_way in ways.values():
        of_way.sort(key=lambda one: one.experience_id)
    ranked = sorted(ways, key=lambda way: (-len(ways[way]), way))[:MOST_SHOWN]
    lessons = _lessons(opened, evidence)[:MOST_SHOWN]
    active = [skill for skill in skills if skill.status == "active" and skill != opened.old]
    own = [opened.old] if opened.old and opened.old.status == "active" else []
    return ShownGroup(
        experiences=(*(ways[way][0] for way in ranked), *lessons),
        patterns=(*ranked, *(_today(one, evidence) for one in lessons)),
        alike=(*(len(ways[way]) for way in ranked), *(1 for _ in lessons)),
        skills=(*own, *sorted(active, key=lambda skill: skill.skill_id))[:MOST_SKILLS],
        sometimes=tuple(_sometimes(opened))[:MOST_SOMETIMES],
    )


def _sometimes(opened: OpenGroup) -> Iterator[Sometimes]:
    for candidate in candidates_of(opened.group.traces):
        if candidate.share < 1 and len(candidate.taken) > 1:
            before, others = (
                _usual(answers, other)
                for answers, other in zip(candidate.answers, candidate.answers[::-1], strict=True)
            )
            step = candidate.step(None)
            yield Sometimes(candidate.pattern, step.n_with, step.n_runs, before, others)


def _usual(answers: Sequence[frozenset[str]], others: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """The words that most of some answers have and others have least."""
    counts = Counter(word for words in answers for word in words)
    n_others = Counter(word for words in others for word in words)
    usual = [word for word, n in counts.items() if 2 * n > len(answers)]
    usual.sort(key=lambda word: (n_others[word] / (len(others) or 1) - counts[word] / len(answers), word))
    return tuple(usual[:_MOST_WORDS])


def _lessons(opened: OpenGroup, evidence: Evidence) -> list[Experience]:
    """One experience of each reaction, and one of each failure in these tasks."""
    found: dict[tuple[str, tuple[Pattern, ...], str], Experience] = {}
    for one in [*evidence.by_kind["condition"], *evidence.by_kind["avoid"]]:
        if one.kind == "condition" or one.found.template in opened.group.templates:
            found.setdefault((one.kind, _today(one, evidence), one.word), one)
    return list(found.values())


def _today(one: Experience, evidence: Evidence) -> tuple[Pattern, ...]:
    if one.kind == "avoid":
        return one.patterns
    return tuple(in_todays_words(pattern, evidence.todays_words) for pattern in one.patterns)


def model_curator(answers: GroupAnswers) -> Curator:
    """A curator that takes what a model said and the experiences bear out. Of a kind of task that it was not asked
    about, nothing is decided yet."""

    def curator(opened: OpenGroup, evidence: Evidence) -> Lines:
        said = next((answers[t] for t in sorted(opened.group.templates) if t in answers), None)
        if said is None:
            return Lines(declined=("defer", NO_ANSWER))
        shown, answer = said
        if isinstance(answer, Failure):
            refusal = Refusal(opened.group.templates[0], answer.status, answer.detail)
            return Lines(declined=("defer", NO_ANSWER), refusals=[refusal], n_proposed=1)
        return _lines(opened, evidence, shown, answer)

    return curator


def _lines(opened: OpenGroup, evidence: Evidence, shown: ShownGroup, answer: SkillAnswer) -> Lines:
    if answer.decision in ("defer", "not_worth"):
        return Lines(declined=("defer" if answer.decision == "defer" else "not_worth", "by_model"))
    old = opened.old if opened.old and opened.old.status == "active" else None
    named = shown.skills[answer.skill - 1] if 1 <= answer.skill <= len(shown.skills) else None
    if answer.decision != "create" and (named is None or old is None or named.skill_id != old.skill_id):
        refusal = Refusal(opened.group.templates[0], UNKNOWN_SKILL, f"{answer.decision} skill {answer.skill}")
        return Lines(declined=("defer", UNKNOWN_SKILL), refusals=[refusal], n_proposed=1)
    if answer.decision == "delete":
        assert old is not None
        gone = find_dead(old.core, evidence.tallies)
        if not gone:
            refusal = Refusal(opened.group.templates[0], STILL_WORKS, f"delete skill {answer.skill}")
            return Lines(declined=("defer", STILL_WORKS), refusals=[refusal], n_proposed=1)
        return Lines(old.steps, old.reactions, old.avoid)  # which die of their dead step
    if answer.decision == "covered" or (answer.decision == "create" and old is not None):
        return Lines(is_covered=True)
    return _Reading(opened, evidence, shown).read(answer)


class _Reading:
    """One answer's lines against what the experiences bear out."""

    def __init__(self, opened: OpenGroup, evidence: Evidence, shown: ShownGroup) -> None:
        self._opened = opened
        self._evidence = evidence
        self._shown = shown
        self._refusals: list[Refusal] = []

    def read(self, answer: SkillAnswer) -> Lines:
        """The lines that hold."""
        steps = self._steps([line for line in answer.steps if self._is_cited(line)])
        avoided = avoidances_of(self._opened.group.templates, steps, self._evidence, self._opened.avoided)
        return Lines(
            steps=steps,
            reactions=self._borne_out(
                answer.whenever, reactions_of(steps, self._evidence), lambda r: (" ".join(r.step.pattern), r.word)
            ),
            avoid=self._borne_out(answer.avoid, avoided, lambda a: (" ".join(a.pattern), "")),
            refusals=self._refusals,
            n_proposed=len(answer.steps) + len(answer.whenever) + len(answer.avoid),
        )

    def _is_cited(self, line: SkillLine) -> bool:
        """Whether every experience that a line cites was shown and has its pattern."""
        shown = self._shown.patterns
        said = _words(line.pattern)
        is_own = all(n <= len(shown) and said in [" ".join(p) for p in shown[n - 1]] for n in line.cites)
        return is_own or self._refuse(FOREIGN, f"{line.pattern} cites {', '.join(map(str, line.cites))}")

    def _steps(self, lines: Sequence[SkillLineWhere]) -> list[SkillStep]:
        """The steps that successes took in this order, each with its word where it has one."""
        candidates = candidates_of(self._opened.group.traces)
        said = [_words(line.pattern) for line in lines]
        pairs = common_pairs(said, [" ".join(candidate.pattern) for candidate in candidates])
        for n in sorted(set(range(len(lines))) - {n for n, _ in pairs}):
            self._refuse(OTHER_STEP, f"{lines[n].pattern}: no success took it there")
        steps = []
        for n, at in pairs:
            word, candidate = _words(lines[n].word.lower()), candidates[at]
            is_apart = bool(word) and candidate.separates(word)
            if word and not is_apart:
                self._refuse(NO_CONTRAST, f"{lines[n].pattern} where the answer says {word}")
            if is_apart or candidate.share >= SUPPORT:
                steps.append(candidate.step(word if is_apart else None))
            elif not word:
                self._refuse(NO_CONTRAST, f"{lines[n].pattern}: {candidate.share:.0%} of the successes took it")
        return with_remedy_citations(steps, self._evidence)

    def _borne_out(
        self, lines: Iterable[SkillLine], known: Sequence[T], name: Callable[[T], tuple[str, str]]
    ) -> tuple[T, ...]:
        """Those of the rules' own lines that the answer has too, each with its citations."""
        said = set()
        for line in lines:
            one = (_words(line.pattern), _words(line.word.lower()) if isinstance(line, SkillLineWhere) else "")
            if self._is_cited(line) and (one in map(name, known) or self._refuse(NO_CONTRAST, " ".join(one))):
                said.add(one)
        return tuple(one for one in known if name(one) in said)

    def _refuse(self, reason: str, detail: str) -> bool:
        self._refusals.append(Refusal(self._opened.group.templates[0], reason, detail))
        return False


def _words(text: str) -> str:
    return " ".join(text.split())
