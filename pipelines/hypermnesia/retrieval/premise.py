"""Whether what is asked about somebody was said by them: questions often name the wrong person."""

from __future__ import annotations

import numpy as np

from hypermnesia.retrieval.features import softmax
from hypermnesia.retrieval.ranking import Ranked

#: The features that know whom the question names.
OF_SPEAKERS = ("speaker", "acts")


def premise(ranked: Ranked) -> float:
    """0 to 1: the share of the ranking's softmax held by rows of those whom the question names.

    Scores are taken without the features that prefer these rows. Low: somebody else said what fits best, so the
    question may have no answer. 1 where it names nobody, or all who speak. Nothing is fitted.
    """
    fit = ranked.parts["speaker"]
    if not len(fit) or not (fit > 0).any() or not (fit < 0).any():
        return 1.0
    without = ranked.scores - np.sum([ranked.parts[name] for name in OF_SPEAKERS if name in ranked.parts], axis=0)
    mass = softmax(without)
    return round(float(mass[fit > 0].sum() / mass[fit != 0].sum()), 4)
