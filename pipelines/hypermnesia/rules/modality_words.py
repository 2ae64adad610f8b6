"""Words that tell whether something happened, is planned, was given up, or is only thought of.

Verbs are lemmas, for a parser's tokens; `forms` makes the written forms, for plain text. Phrases are patterns
over lower-case text with straight apostrophes.
"""

from __future__ import annotations

from collections.abc import Iterable

#: Verbs that make a plan of the infinitive behind them: "plan to go".
PLAN_WORDS = frozenset({"plan", "intend", "aim", "hope", "want", "arrange", "prepare", "decide", "expect", "promise"})
#: Auxiliaries of what is to come, as written.
PLAN_AUXILIARIES = frozenset({"will", "'ll", "won't", "shall", "gonna", "gotta"})
PLAN_PHRASES = (
    r"(?:am|are|is|'m|'re|'s|be) (?:(?:not|still|also|just|really|definitely|probably|all|both) )*"
    r"(?:going to|about to)",
    r"looking forward to",
    r"can(?:'t|not) wait",
    r"(?:'m|am|'re|are|is|'s) (?:\w+ )?"
    r"(?:planning|hoping|scheduled|booked|due|supposed|set|thinking of|thinking about)",
    r"(?:have|has|need|needs|got) to(?! (?:say|admit|be honest)\b)",
    r"let's",
    r"on (?:my|our|the) (?:bucket list|to-do list)",
)
#: Words for a day that is still to come; with a verb of the present they tell a plan.
COMING_PHRASES = (
    r"tomorrow",
    r"next (?:week|weekend|month|year|spring|summer|fall|autumn|winter|\w+day)",
    r"(?:upcoming|coming up|coming (?:week|weekend|month|year)s?)",
    r"this coming \w+",
    r"in (?:a|an|two|three|four|five|six|a few|a couple of|\d+) (?:day|week|month|year)s?(?= *(?:[.,!;)]|$))",
)
#: Verbs that give a plan or event up: "cancel the trip".
CANCEL_WORDS = frozenset({"cancel", "abandon", "scrap", "scratch", "ditch"})
#: The same with a particle, (lemma, particle).
CANCEL_PARTICLES = frozenset({("call", "off"), ("fall", "through"), ("back", "out"), ("bail", "on"), ("pull", "out")})
CANCEL_PHRASES = (
    r"(?:was|were|got|gets|been|is|are|'s|had to|have to|has|have|had|they|we|i|he|she) (?:just |all |already |now )*"
    r"(?:cancell?ed|called off|scrapped|scratched|abandoned|ditched)",
    r"(?:had|have|decided|forced (?:us|me|them)) to (?:cancel|call off|scrap|abandon|call it off|skip)",
    r"call(?:ed)? (?:it|that|them|the \w+|our \w+|my \w+) off",
    r"(?:fell|fallen|falls) through",
    r"backed out|bailed on|pulled out of",
    r"ended up not",
    r"decided (?:not to|against)",
    r"(?:isn't|aren't|'s not|'re not|'m not|am not|wasn't|weren't) (?:happening|going)(?: \w+){0,4} "
    r"(?:anymore|any more|after all)",
    r"no longer (?:going|happening|planning)",
    r"changed (?:my|our|his|her|their) minds?",
    r"never (?:ended up|got around to|happened)",
    r"didn't (?:end up|happen|work out|pan out|materiali[sz]e|get to go)",
)
#: What was intended, and what tells behind it that it came to nothing.
INTENT_PHRASES = (
    r"(?:was|were) (?:\w+ )?(?:going to|gonna|about to|supposed to|meant to|planning|hoping|scheduled|set to)",
    r"(?:had )?(?:planned|intended|wanted|meant|hoped|booked|tried|arranged) (?:to|on|for)",
    r"would have",
)
FAILURE_PHRASES = (
    r"(?:but|however|unfortunately|sadly|until|only|then)\b.{0,200}\b(?:couldn't|could not|didn't|did not|wasn't|"
    r"weren't|never|had to|cancell?ed|no time|not able|unable|instead|forgot|got sick|got in the way|came up|rained|"
    r"missed|changed|sold out|too (?:late|busy|sick|tired|expensive))",
)
#: Auxiliaries and conjunctions of what is only thought of.
HYPOTHETICAL_PHRASES = (
    r"(?<!my )(?<!his )(?<!her )(?<!our )(?<!their )might",
    r"(?:would|wouldn't|should|shouldn't|could)",
    r"(?:i|we|you|he|she|they|it|that)'d"
    r"(?= (?!better\b|been\b|had\b|\w+ed\b|gone\b|done\b|seen\b|never\b|already\b|just\b))",
    r"wish(?:es|ed)? (?:i|we|he|she|they|it|that|there|to|you (?:were|had|could|would))",
    r"maybe|perhaps",
    r"(?:suppose|imagine|pretend)(?! you\b)",
    r"hop(?:e|es|ing) (?!to\b|for\b)(?:that )?(?:i|we|he|she|they|it|you|the|this|my|our|things)",
    r"dream(?:s|ing)? (?:of|about)|in my dreams",
    r"in case",
)
#: "could" and "would" of what did happen.
REAL_PHRASES = (
    r"could (?:\w+ )?(?:see|hear|feel|tell|smell|taste|barely|hardly|finally|only|always)",
    r"would (?:always|often|usually|sometimes|never|spend hours)",
)
#: What is, as the first verb: in "it's a tool that could help".
PRESENT_PHRASES = (
    r"is|are|am|isn't|aren't",
    r"(?:it|that|this|he|she|there|here)(?='s (?!been\b))",
    r"'m|'re",
    r"(?:i|we|they|you) (?:love|like|enjoy|live|work|feel|understand|appreciate|remember)",
    r"(?:it|that|this|she|he) (?:holds|makes|means|helps|feels|looks|sounds|brings|keeps|gives|reminds|has|loves)",
)
CONDITION_PHRASES = (
    r"(?<!as )(?<!see )(?<!ask )(?<!know )(?<!asked )(?<!wonder )(?<!wondering )(?<!sure )(?<!check )(?<!tell )"
    r"if(?! only\b)",
    r"unless",
    r"if only",
    r"what if",
)
#: Verbs of speech, as written: with words in quotation marks they quote.
_SPEECH_FORMS = (
    "say says said saying tell tells told telling ask asks asked asking write writes wrote reply replies replied "
    "answer answers answered shout shouts shouted whisper whispers whispered text texted yell yelled add adds added"
)
SPEECH_FORMS = frozenset(_SPEECH_FORMS.split())
QUESTION_PHRASES = (
    r"(?:hey,? |so,? |and |but |\w+, )?(?:can|could|would|will) (?:you|someone|anyone|anybody)",
    r"(?:please|pls) \w+",
    r"(?:tell|show|remind|give|send|help|teach) (?:me|us)",
    r"(?:please )?let (?:me|us) know",
    r"i(?:'m| am)? (?:just |was |am |was just )?wonder(?:ing|ed)?",
    r"i (?:need|want|'d like|would like) you to",
    r"do you (?:know|think|mind|have|want|remember)",
)
#: Words that turn a claim round, as written.
NEGATION_WORDS = frozenset(
    {"not", "n't", "no", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "cannot", "without"}
)
#: Where such a word turns nothing round.
NOT_NEGATION_PHRASES = (
    r"can(?:'t|not) (?:wait|believe|help|stop|get enough|say enough|imagine|thank \w+ enough)",
    r"could(?:n't| not) (?:be|agree|have (?:done|asked)|believe|stop|help|resist|wait|imagine)",
    r"not (?:only|just|to mention|bad|too long ago|long ago|so long ago)",
    r"(?:why|if|or|whether or|absolutely why) not",
    r"no (?:problem|worries|doubt|matter|wonder|way|kidding|idea how|biggie)",
    r"nothing (?:but|beats|like|better)",
    r"don't (?:worry|mention it|forget|hesitate)",
    r"never (?:gets old|stop|been (?:better|happier|so))",
    r"(?:isn't|aren't|wasn't|weren't|don't|doesn't|didn't|haven't|hasn't|won't|can't|couldn't|wouldn't) "
    r"(?:it|i|we|you|he|she|they|that|this)\s*\?",
    r"without (?:a )?(?:doubt|question|fail)",
    r"no(?=[,!.]| *$)",
)

_DOUBLED = frozenset({"plan", "scrap"})


def forms(lemmas: Iterable[str]) -> tuple[str, ...]:
    """The written forms of regular verbs: plan, plans, planned, planning."""
    found: set[str] = set()
    for lemma in lemmas:
        stem = lemma + lemma[-1] if lemma in _DOUBLED else lemma.removesuffix("e")
        found |= {lemma, lemma + "s", stem + "ed", stem + "ing"}
    return tuple(sorted(found, key=lambda f: (-len(f), f)))
