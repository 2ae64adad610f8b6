"""English words that say little by themselves: they are no search terms, and the first token vectors to be left out."""

from __future__ import annotations

_FUNCTION_WORDS = """
    a about after again all also am an and any are as at be because been before being both but by can could did
    do does doing don't down during each few for from further had has have having he her here hers him his how i i'd
    i'll i'm i've if in into is it it's its itself just me might more most my myself no nor not now of off on once
    only or other our ours out over own s same shall she should so some such t than that that's the their theirs them
    then there these they they're this those through to too under until up upon us very was we we're we've were what
    what's when where which while who whom whose why will with would you you're you've your yours
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())

#: What a word piece tokenizer leaves of an apostrophe's end ("don't" is don ' t).
SPLIT_ENDS = frozenset(["d", "don", "ll", "m", "re", "ve"])
