"""Whether a text is English: by its script and its function words. Cheap, so that other texts give no wrong frames."""

from __future__ import annotations

import re

from hypermnesia.rules.linguistic.lexicon import words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

_ENGLISH = words(
    "the and of to is are was were be been it's i'm i've i'll i'd it that this these those with for my your our "
    "his her their you he she they we i but not don't didn't doesn't can't have has had do does did what when "
    "where who why how which there here from about just like will would could should can if or at by on than then "
    "them us its because some any all very too also yes yeah hey thanks thank let's you're that's we're went got"
)
#: Of both sides: left out of the others.
_SHARED = words("me die in no so as a on to is do i le by we was go who")
_OTHERS = (
    words(  # German, Dutch
        "der das und ist nicht ich du wir ihr sie mit für auf ein eine einen einem einer dem den von zu im am bei "
        "nach aus auch noch schon mein meine dein habe hat haben war wie wo wenn weil het een en niet ik jij wij "
        "van voor met dat deze zijn heeft naar ook maar bij mijn je aan"
    )
    | words(  # Spanish, Portuguese
        "el los las una unos y que de del con por para mi tu su es está estoy soy muy pero más como cuando donde "
        "qué o os um uma e não com minha meu seu são eu você ele ela muito mas isso foi"
    )
    | words(  # Italian, French
        "il lo gli della di che non per sono è anche mio mia ho hai ha molto abbiamo siamo la les des du et est "
        "une je nous vous ils elle avec pour dans sur pas mais très mon ma mes j'ai c'est suis aussi qui"
    )
    | words(  # Polish, Czech, Swedish, Danish, Norwegian, Turkish
        "nie jest się na jak ale czy jestem mam tak w z se ve bir bu için ben çok och att det är jag inte som på "
        "til og jeg ikke af er med har"
    )
    | words(  # Indonesian, Finnish, Romanian, Hungarian
        "yang dan saya ini itu tidak dengan untuk ja ei että olen minä și nu sunt este hogy nem és egy az vagyok"
    )
)
_FOREIGN = _OTHERS - _ENGLISH - _SHARED


def is_english(text: str) -> bool:
    """A guess by letters and function words; a text with no words at all, or a few plain ones, passes."""
    said = [w.lower().replace("’", "'") for w in _WORD.findall(text)]
    letters = "".join(said)
    if not letters:
        return True
    n_latin = sum(1 for c in letters if c < "ɐ" or c == "'" or "Ḁ" <= c <= "ỿ")
    if n_latin < 0.7 * len(letters):
        return False
    n_english = sum(w in _ENGLISH for w in said)
    n_foreign = sum(w in _FOREIGN for w in said)
    if n_english or n_foreign:
        return n_english >= n_foreign and n_english >= 0.05 * len(said)
    has_marks = any(not c.isascii() for c in letters)
    return len(said) <= (2 if has_marks else 12)
