# %% [markdown]
# # The tour of one record
# One line of an archive on its way to an answer, by the same functions that the stages call. Run the cells,
# or the whole file: `.venv/bin/python notebooks/01_one_record.py`.

# %% An archive is a file; its reader is found by content (`archives/`).
import json
import tempfile
from pathlib import Path

from hypermnesia.app import App
from hypermnesia.archives import KnownArchives
from hypermnesia.engine.progress import Progress
from hypermnesia.settings import load
from hypermnesia.stages.ingest import ArchiveInput

folder = Path(tempfile.mkdtemp())
lines = [
    {"user": "ana", "conversation": "chat", "id": "1", "speaker": "Bo", "text": "When do you fly to Porto?"},
    {"user": "ana", "conversation": "chat", "id": "2", "speaker": "Ana", "text": "On Friday morning."},
]
times = ["2024-05-14T09:00:00+02:00", "2024-05-14T09:01:00+02:00"]
archive = folder / "chat.jsonl"
archive.write_text("".join(json.dumps({**line, "time": at}) + "\n" for line, at in zip(lines, times, strict=True)))
reader = KnownArchives().recognise(archive)
assert reader is not None
for entry in reader.read(archive):
    print(entry)

# %% A backfill runs all stages over it (`stages/`), here in this process instead of on Ray.
app = App(load(home=folder / "memory", executor="inline", tracking="off"))
report = app.backfill([ArchiveInput(archive)], Progress())
for stage in report.stages:
    print(stage.stage, "-", stage.counts.sentence())

# %% Messages are evidence: ids under the lake key, revisions by content hash (`rules/identity.py`).
message = app.lake.read("messages", equals={"native_id": "2"}).to_pylist()[0]
print({name: message[name] for name in ("message_id", "content_hash", "user_id", "bucket", "text")})

# %% They were cut into chunks (`rules/chunking.py`), and the verbatim extractor made a record of each.
chunk = app.lake.read("chunks").to_pylist()[0]
record = next(r for r in app.lake.read("records").to_pylist() if r["speaker"] == "Ana")
print(chunk["chunk_id"], "->", record["row_id"])
print("text:", record["text"], "| answers:", record["context"], "| cites:", record["cited"])
assert record["context"] == "When do you fly to Porto?"

# %% Two vectors a record (`stages/embed.py`) went into a generation of the vector store (`stages/load_vectors.py`).
print(app.lake.read("embeddings", columns=["id", "model", "text_hash"]).to_pylist()[0])
print("published:", app.index.published())

# %% A question is planned, and the user's rows are ranked (`retrieval/`): evidence that names its message.
answer = app.asker.ask("ana", "When is Ana's flight to Porto?", limit=1)
print(json.dumps(answer["rows"][0], indent=1))
assert answer["rows"][0]["sources"][0]["native_id"] == "2"

# %% And why is it remembered?
print(json.dumps(app.inspector().trace(message["message_id"])["stages"], indent=1))
