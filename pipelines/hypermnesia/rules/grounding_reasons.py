"""Why a record is refused, and what a person can do about it."""

from __future__ import annotations

from hypermnesia.rules import injection
from hypermnesia.rules.answer_status import EMPTY, REFUSAL, SCHEMA_ECHO, TRUNCATED, UNPARSEABLE, WHITESPACE_LOOP
from hypermnesia.rules.extraction import Refused
from hypermnesia.rules.text import one_line

UNKNOWN_MESSAGE = "unknown_message"
CITES_SYSTEM = "cites_what_nobody_said"
QUOTE_NOT_FOUND = "quote_not_found"
QUOTE_NOT_IN_CITED = "quote_not_in_cited_message"
RECALLED = "recalled_memory"
WRONG_SPEAKER = "wrong_speaker"
UNKNOWN_SUBJECT = "unknown_subject"
ASSISTANT_ABOUT_PERSON = "assistant_about_person"
WALL = "not_the_users_word"
INVENTED_NAME = "invented_name"
INVENTED_NUMBER = "invented_number"
INVENTED_DATE = "invented_date"
INJECTION = injection.REASON
SAYS_NOTHING = "says_nothing"
REPEATED = "repeated_record"
UNKNOWN_RECORD = "unknown_record"
DANGLING_ENDPOINT = "dangling_endpoint"
AMBIGUOUS_ENTITY = "ambiguous_entity"
NO_ANCHOR = "no_anchor"
FRAME_TOO_SMALL = "frame_too_small"
REPAIR_NOT_GROUNDED = "repair_not_grounded"
UNREADABLE = "unreadable_answer"
SUSPICIOUS_EMPTY = "suspicious_empty"
NO_ANSWER = "no_answer"
CONTEXT_OVERFLOW = "context_overflow"

#: Statuses of calls that a second attempt may cure, and did not (`rules/model_calls.py`).
FAILED_CALLS = (EMPTY, TRUNCATED, WHITESPACE_LOOP, SCHEMA_ECHO, UNPARSEABLE, CONTEXT_OVERFLOW)

_READ_AGAIN = "the message is kept; a newer model or prompt may read the chunk again (`replay extract`)"

#: Every reason with its remedy.
REMEDIES: dict[str, str] = {
    UNKNOWN_MESSAGE: f"the answer cites a message that is not in its chunk; {_READ_AGAIN}",
    CITES_SYSTEM: f"system messages are no evidence; {_READ_AGAIN}",
    QUOTE_NOT_FOUND: f"the quote stands in no message of the chunk; {_READ_AGAIN}",
    QUOTE_NOT_IN_CITED: f"the quote stands in another message than the one cited; {_READ_AGAIN}",
    RECALLED: "memory that was recalled into a chat is no new evidence; look at the record that it came from",
    WRONG_SPEAKER: f"the record gives one person's words to another; {_READ_AGAIN}",
    UNKNOWN_SUBJECT: f"nobody of that name is in the chunk; {_READ_AGAIN}",
    ASSISTANT_ABOUT_PERSON: "what an assistant says of a person is no fact; add it with `correct` where it is true",
    WALL: "only the user's own words become facts about the user, standing orders or skills; add it with `correct`",
    INVENTED_NAME: f"the record has a name that the chunk has not; {_READ_AGAIN}",
    INVENTED_NUMBER: f"the record has a number that the cited messages have not; {_READ_AGAIN}",
    INVENTED_DATE: f"the record has a date that the cited messages do not give; {_READ_AGAIN}",
    INJECTION: injection.REMEDY,
    SAYS_NOTHING: f"the record's text has no word; {_READ_AGAIN}",
    REPEATED: "the same claim of the same messages is already a record of this answer; nothing is lost",
    UNKNOWN_RECORD: f"the answer speaks of a record that was not asked about; {_READ_AGAIN}",
    DANGLING_ENDPOINT: f"a frame's role points to an entity that the answer does not have; {_READ_AGAIN}",
    AMBIGUOUS_ENTITY: f"a frame's role names what several entities are called; {_READ_AGAIN}",
    NO_ANCHOR: "pronouns, roles and generic words are no anchors; the record is kept, the frame is not",
    FRAME_TOO_SMALL: "a frame needs two different anchors; the record is kept, the frame is not",
    REPAIR_NOT_GROUNDED: "the repaired text was not grounded; the record is kept as it was before",
    UNREADABLE: "the answer is not of its schema; its text is kept, a newer parser may read it",
    SUSPICIOUS_EMPTY: f"people said more than a greeting, and the model found nothing, also in parts; {_READ_AGAIN}",
    NO_ANSWER: "the model was not asked, or its engine failed: `replay answer`, or `backfill` with a generator",
    **dict.fromkeys(
        FAILED_CALLS, f"a call gave no answer over these messages, also when asked otherwise; {_READ_AGAIN}"
    ),
    REFUSAL: f"the model refused; {_READ_AGAIN}",
}


def refused(reason: str, detail: str = "", turns: tuple[int, ...] = ()) -> Refused:
    """A refusal whose detail is one short line."""
    return Refused(reason, one_line(detail), turns)
