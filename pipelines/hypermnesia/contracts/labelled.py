"""Questions with labelled evidence, for `hypermnesia evaluate questions FILE`: JSON lines.

    {"id": "q1", "user": "maya", "question": "Which city is Maya's home?", "evidence": ["jordan-and-maya:28"],
     "category": "single", "as_of": "2024-05-01", "answer": "Lisbon"}

`evidence` names the messages that answer, by the archive's own id or by message_id; an empty list says that the
memory holds no answer. `category`, `as_of` and `answer` (the reference of judged answers) may be missing.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class LabelledLine(BaseModel):
    """One line of the file; unknown fields are refused, since a typo would lose a label."""

    model_config = ConfigDict(extra="forbid")

    id: str | None = None
    user: str = Field(min_length=1)
    question: str = Field(min_length=1)
    evidence: list[str]
    category: str = "other"
    as_of: str | None = None
    answer: str | None = None
