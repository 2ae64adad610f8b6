"""The read API in this process: what it answers, to whom, and that it writes nothing to the lake."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from served_home import ANN, HOSTILE, KEY, SECRET, Caller, build_home, open_home, word_of

from hypermnesia.api.gate import MOST_BODY_BYTES, MOST_TARGET_BYTES
from hypermnesia.api.http import USER_HEADER
from hypermnesia.api.openapi import DOCUMENT
from hypermnesia.api.problems import MEDIA_TYPE
from hypermnesia.api.reads import Reads
from hypermnesia.app import App
from hypermnesia.cli import main
from hypermnesia.engine.progress import Progress
from hypermnesia.retrieval.graph_step import NOTHING, GraphStep
from hypermnesia.stages.ingest import ArchiveInput

TASK = "put a kettle in trunk"
QUESTIONS = ("Where does Sam live?", "What does Sam keep in Rome?", "When did Sam go hiking with Maya?", "zebra")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    return build_home(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def reads(app: App) -> Reads:
    return Reads(app)


@pytest.fixture(scope="module")
def ann(reads: Reads) -> Caller:
    return Caller(reads, reads.keys.add(ANN)[1])


@pytest.fixture(scope="module")
def service(reads: Reads) -> Caller:
    return Caller(reads, reads.keys.add(None)[1])


def lake_state(app: App) -> dict[str, tuple[int, int]]:
    files = (path for path in (app.home / "lake").rglob("*"))
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


@pytest.fixture(scope="module", autouse=True)
def _lake_is_only_read(app: App) -> Iterator[None]:
    before = lake_state(app)
    yield
    assert lake_state(app) == before


DOCUMENTED = {"/v1/ask": "/v1/ask", "/v1/vault/vlt_0": "/v1/vault/{vault_id}"}


def is_problem(response: Any, status: int) -> bool:
    body = response.json()
    is_typed = response.headers["content-type"] == MEDIA_TYPE and {"type", "title", "status", "detail"} <= set(body)
    return is_typed and (response.status_code, body["status"]) == (status, status)


def without_ms(answer: dict[str, Any]) -> dict[str, Any]:
    answer.pop("ms")
    answer.get("explain", {}).pop("ms", None)
    return answer


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (QUESTIONS[0], {"as_of": "2023-06-01"}),
        (QUESTIONS[1], {"limit": 2}),
        (QUESTIONS[2], {"profile": "papers", "explain": True}),
        (QUESTIONS[3], {}),
    ],
)
def test_ask_is_the_object_of_the_command(app: App, ann: Caller, question: str, asked: dict[str, Any]) -> None:
    options = [["--explain"] if value is True else [f"--{name.replace('_', '-')}", str(value)]
               for name, value in asked.items()]  # fmt: skip
    words = ["ask", ANN, question, "--json", "--home", str(app.home), *(word for words in options for word in words)]
    printed = CliRunner().invoke(main, words, env={"HYPERMNESIA_LAKE_KEY": KEY})
    assert printed.exit_code == 0, printed.output
    response = ann.ask(question, **asked)
    assert response.status_code == 200
    assert without_ms(response.json()) == without_ms(json.loads(printed.stdout))


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["core", ANN], "/v1/core"),
        (["core", ANN, "--as-of", "2023-06-01", "--limit", "1"], "/v1/core?as_of=2023-06-01&limit=1"),
        (["procedures", ANN, "bake a loaf of bread"], "/v1/procedures?task=bake a loaf of bread"),
        (["resources", ANN, "orchid"], "/v1/resources?query=orchid"),
        (["skills", "find", ANN, TASK], f"/v1/skills?task={TASK}"),
        (["skills", "find", ANN, TASK, "--agent", "robot"], f"/v1/skills?task={TASK}&agent=robot"),
    ],
)
def test_typed_reads_are_the_commands(app: App, ann: Caller, words: list[str], path: str) -> None:
    for as_json in (["--json"], []):
        printed = CliRunner().invoke(
            main, [*words, *as_json, "--home", str(app.home)], env={"HYPERMNESIA_LAKE_KEY": KEY}
        )
        assert printed.exit_code == 0, printed.output
        if as_json:
            assert ann.get(path).json() == json.loads(printed.stdout)
        assert printed.stdout


def test_a_task_finds_the_skill_of_its_user_alone(reads: Reads, ann: Caller, service: Caller) -> None:
    found = ann.get(f"/v1/skills?task={TASK}").json()["skill"]
    assert found["how"] == "exact" and found["bindings"] == {"A": "kettle", "B": "trunk"}
    assert "`put kettle in trunk`" in found["markdown"] and found["markdown"].startswith("---\nname: ")
    assert ann.get("/v1/skills?task=negotiate a salary").json()["skill"] is None
    assert ann.get(f"/v1/skills?task={TASK}&agent=another").json()["skill"] is None
    named = {USER_HEADER: quote(HOSTILE[0], safe="")}
    assert service.get(f"/v1/skills?task={TASK}", headers=named).json()["skill"] is None
    assert Caller(reads, None).get(f"/v1/skills?task={TASK}").status_code == 401
    assert ann.get("/v1/skills").status_code == 422


def test_core_is_the_current_view(ann: Caller) -> None:
    facts = ann.get("/v1/core").json()["facts"]
    lives = [(fact["value"], fact["status"]) for fact in facts if fact["predicate"] == "lives_in"]
    assert lives == [("Berlin", "in_force"), ("Paris", "superseded")]
    before = ann.get("/v1/core?as_of=2023-06-01").json()["facts"]
    assert [(f["value"], f["status"]) for f in before if f["predicate"] == "lives_in"] == [("Paris", "in_force")]
    record = facts[0]["records"][0]
    shown = ann.get(f"/v1/show/{record['row_id']}").json()
    assert shown["rows"][0]["text"] == record["text"]
    assert shown["cites"][0]["message_id"] == record["sources"][0]["message_id"]


def test_procedures_have_a_floor(ann: Caller) -> None:
    (found,) = ann.get("/v1/procedures?task=bake a loaf of sourdough bread").json()["procedures"]
    assert found["steps"] == ["feed the starter at night.", "mix it at 7.", "bake it at 240 degrees."]
    assert ann.get("/v1/procedures?task=negotiate a salary").json()["procedures"] == []


def test_resources_name_section_and_characters(ann: Caller) -> None:
    best = ann.get("/v1/resources?query=when do orchids get water").json()["resources"][0]
    assert (best["title"], best["section"], best["kind"]) == ("Handbook", "Handbook > Garden", "document")
    assert best["end"] - best["start"] == len(best["text"])
    assert best["sources"][0]["archive"] == "handbook.md"
    assert ann.get("/v1/resources?query=kitchen").json()["resources"][0]["section"] == "Handbook > Kitchen"
    assert ann.get("/v1/resources?query=submarine").json()["resources"] == []


def test_trace_says_what_became_of_a_message(ann: Caller) -> None:
    row = ann.ask(QUESTIONS[0]).json()["rows"][0]
    traced = ann.get(f"/v1/trace/{row['sources'][0]['message_id']}").json()
    assert traced["is_remembered"] and traced["user_id"] == ANN
    assert is_problem(ann.get(f"/v1/trace/{row['row_id']}"), 404)  # it is no message


# The walls


@pytest.mark.parametrize("user", HOSTILE)
def test_no_answer_holds_anything_of_another_user(
    reads: Reads, app: App, ann: Caller, service: Caller, user: str
) -> None:
    own = Caller(reads, reads.keys.add(user)[1])
    theirs = _ids(app, user)
    foreign = {other: _ids(app, other) for other in (ANN, *HOSTILE) if other != user}
    typed = [
        "/v1/core",
        "/v1/procedures?task=bake sourdough bread",
        "/v1/resources?query=orchid",
        f"/v1/skills?task={TASK}",
    ]
    one_of_each = {identifier[:4]: identifier for identifier in sorted(theirs)}
    paths = [*typed, *(f"/v1/show/{i}" for i in one_of_each.values()), f"/v1/trace/{one_of_each['msg_']}"]
    bodies = [own.ask(question, limit=50, explain=True) for question in QUESTIONS] + [own.get(path) for path in paths]
    named = {USER_HEADER: quote(user, safe="")}
    bodies += [service.ask(question, user=user, limit=50) for question in QUESTIONS]
    bodies += [service.get(path, headers=named) for path in typed]
    assert {body.status_code for body in bodies} == {200}
    text = "\n".join(body.text for body in bodies)
    assert word_of(user) in text and theirs & set(text.replace('"', " ").split())
    for other, ids in foreign.items():
        assert not [identifier for identifier in ids if identifier in text], other
        assert other == ANN or word_of(other) not in text
    assert word_of(user) not in "".join(ann.ask(question, limit=50).text for question in QUESTIONS)


def _ids(app: App, user: str) -> set[str]:
    columns = {"messages": "message_id", "records": "row_id", "chunks": "chunk_id", "mentions": "anchor_id"}
    columns |= {"assertions": "frame_id", "extractions": "extraction_id", "vault": "vault_id"}
    return {
        identifier
        for table, column in columns.items()
        for identifier in app.lake.read(table, equals={"user_id": user})[column].to_pylist()
    }


def test_a_foreign_id_is_answered_like_one_that_nobody_has(app: App, ann: Caller) -> None:
    for foreign in sorted(_ids(app, HOSTILE[0])):
        unknown = foreign[:4] + "0" * 32
        paths = ["/v1/show/{}"] + (["/v1/trace/{}"] if foreign.startswith("msg_") else [])
        for path in paths:
            responses = [ann.get(path.format(identifier)) for identifier in (foreign, unknown)]
            assert is_problem(responses[0], 404)
            assert responses[0].content == responses[1].content
            assert dict(responses[0].headers) == dict(responses[1].headers)


def test_a_foreign_id_is_looked_for_in_the_own_bucket_alone(
    app: App, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    read = app.lake.read
    monkeypatch.setattr(app.lake, "read", lambda table, **k: calls.append((table, k["buckets"])) or read(table, **k))
    work = []
    for identifier in (sorted(_ids_of(read, HOSTILE[0]))[0], "msg_" + "0" * 32):
        calls.clear()
        ann.get(f"/v1/show/{identifier}")
        work.append(list(calls))
    assert work[0] == work[1] and len(work[0]) == 1


def _ids_of(read: Any, user: str) -> list[str]:
    return list(read("messages", equals={"user_id": user})["message_id"].to_pylist())


def test_a_key_of_one_user_names_no_other(ann: Caller) -> None:
    there, nobody = (
        [ann.ask("zebra", user=user), ann.get("/v1/core", headers={USER_HEADER: quote(user, safe="")})]
        for user in (HOSTILE[1], "nobody at all")
    )
    for one, other in zip(there, nobody, strict=True):
        assert is_problem(one, 403) and one.content == other.content
    assert ann.ask("zebra", user=ANN).status_code == 200


@given(st.text(max_size=8), st.text(max_size=8), st.sampled_from([ANN, "An", "", "' OR ''='", "\\"]))
@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_whatever_the_user_is_called_only_their_own_is_answered(
    service: Caller, before: str, after: str, middle: str
) -> None:
    user = f"{before}{middle}{after}"
    response = service.get("/v1/core", headers={USER_HEADER: quote(user, safe="", errors="surrogatepass")})
    if response.status_code == 422:
        assert not user.strip() or max(user) >= "\ud800"
        return
    assert response.status_code == 200 and response.json()["user"] == user
    assert user in (ANN, *HOSTILE) or response.json()["facts"] == []
    asked = service.ask("Where does Sam live?", user=user).json()
    assert user in (ANN, *HOSTILE) or (asked["rows"], asked["facts"]) == ([], [])


@pytest.mark.parametrize("user", ["", " ", "\u00a0\t"])
def test_an_empty_user_is_an_error(service: Caller, user: str) -> None:
    assert is_problem(service.ask("zebra", user=user), 422)
    assert is_problem(service.get("/v1/core", headers={USER_HEADER: quote(user)}), 422)


def test_a_service_key_names_the_user(service: Caller) -> None:
    assert is_problem(service.ask("zebra"), 422)
    assert is_problem(service.get("/v1/core"), 422)
    assert is_problem(service.get("/v1/core", headers={USER_HEADER: "%ff"}), 422)
    assert is_problem(service.post("/v1/ask", json={"question": "x", "user": "a"}, headers={USER_HEADER: "b"}), 422)
    assert service.ask("zebra", user="nobody at all").json()["rows"] == []


# Keys


@pytest.mark.parametrize(
    "path", ["/v1/core", "/v1/core/", "/healthz/", "/v1/show/x", "/v1/nothing", "/openapi.json", "/docs", "/"]
)
def test_every_path_but_the_probes_needs_a_key(reads: Reads, path: str) -> None:
    for token in (None, "", "hm_", "hm_00000000_x", "\u00ff", "x" * 5000):
        response = Caller(reads, None).get(path, headers={} if token is None else {"Authorization": _bearer(token)})
        assert is_problem(response, 401)
        assert response.headers["www-authenticate"] == "Bearer"


def _bearer(token: str) -> Any:
    return f"Bearer {token}".encode("latin-1")


def test_probes_need_no_key(reads: Reads) -> None:
    assert Caller(reads, None).get("/healthz").json() == {"status": "ok"}
    assert Caller(reads, None).get("/readyz").json() == {"status": "ready"}


def test_a_revoked_key_opens_nothing(reads: Reads, app: App) -> None:
    key, token = reads.keys.add(ANN)
    caller = Caller(reads, token)
    assert caller.get("/v1/core").status_code == 200
    env = {"HYPERMNESIA_LAKE_KEY": KEY}
    revoked = CliRunner().invoke(main, ["keys", "revoke", key.key_id, "--home", str(app.home)], env=env)
    assert revoked.exit_code == 0
    assert is_problem(caller.get("/v1/core"), 401)


# The vault


def test_a_secret_needs_the_permission_of_key_and_home(app: App, ann: Caller) -> None:
    (row,) = app.lake.read("vault", equals={"user_id": ANN}).to_pylist()
    path, asked = f"/v1/vault/{row['vault_id']}", {"reason": "guests"}
    permitted = Reads(open_home(app.home, vault_read=True))
    may = Caller(permitted, permitted.keys.add(ANN, may_read_vault=True)[1])
    may_not = Caller(permitted, permitted.keys.add(ANN)[1])
    other = Caller(permitted, permitted.keys.add(HOSTILE[0], may_read_vault=True)[1])
    closed = Caller(Reads(app), permitted.keys.add(ANN, may_read_vault=True)[1])
    log = app.home / "vault_audit.jsonl"
    n_before = len(log.read_text().splitlines()) if log.exists() else 0
    assert may.post(path, json=asked).json()["value"] == SECRET
    assert is_problem(may_not.post(path, json=asked), 403)
    assert is_problem(closed.post(path, json=asked), 403)
    foreign, unknown = other.post(path, json=asked), other.post(f"/v1/vault/vlt_{'0' * 32}", json=asked)
    assert is_problem(foreign, 404) and foreign.content == unknown.content
    assert is_problem(may.post(path, json={"reason": " "}), 422)
    lines = [json.loads(line) for line in log.read_text().splitlines()][n_before:]
    assert [line["granted"] for line in lines] == [True, False, False, False, False]
    assert all("guests (API key " in line["reason"] for line in lines) and SECRET not in log.read_text()
    assert SECRET not in ann.ask("What is the wifi password?", limit=50).text
    assert SECRET not in ann.get(f"/v1/show/{row['vault_id']}").text


# Requests that can't be answered


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": ""},
        {"question": "\u3000 "},
        {"question": "x" * 4_001},
        {"question": "x", "limit": 0},
        {"question": "x", "limit": 201},
        {"question": "x", "profile": "best"},
        {"question": "x", "as_of": "yesterday"},
        {"question": "what was said last week?", "as_of": "0001-01-01"},
        {"question": "x", "reference": "the right answer"},
        {"question": 3},
        [],
    ],
)
def test_what_is_wrong_is_said_and_not_repeated(ann: Caller, body: Any) -> None:
    response = ann.post("/v1/ask", json=body)
    assert is_problem(response, 422)
    assert response.json()["errors"] and "the right answer" not in response.text and "xxx" not in response.text


def test_half_a_surrogate_pair_is_no_question(ann: Caller) -> None:
    response = ann.post("/v1/ask", content=b'{"question": "\\ud800"}', headers={"Content-Type": "application/json"})
    assert is_problem(response, 422)


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/vault/vlt_0"])
@pytest.mark.parametrize("body", [b"\xff\xfe", b'{"question": "\xe9"}', b"[" * 20_000])
def test_a_body_that_is_no_json_is_said_as_documented(ann: Caller, path: str, body: bytes) -> None:
    response = ann.post(path, content=body, headers={"content-type": "application/json"})
    assert is_problem(response, response.status_code)
    assert str(response.status_code) in json.loads(DOCUMENT.read_text())["paths"][DOCUMENTED[path]]["post"]["responses"]


def test_requests_have_a_size(ann: Caller) -> None:
    large = b'{"question": "' + b"x" * MOST_BODY_BYTES + b'"}'
    assert is_problem(ann.post("/v1/ask", content=large, headers={"Content-Type": "application/json"}), 413)
    in_parts = (large[i : i + 1000] for i in range(0, len(large), 1000))  # no length is said
    assert is_problem(ann.post("/v1/ask", content=in_parts, headers={"Content-Type": "application/json"}), 413)
    assert is_problem(ann.get("/v1/resources?query=" + "x" * MOST_TARGET_BYTES), 414)


def test_an_error_of_ours_tells_nothing_of_how_we_are_made(
    reads: Reads, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError(f"no such table in {reads!r} at /secret/path")

    monkeypatch.setattr(reads.typed, "core", fails)
    response = ann.get("/v1/core")
    assert is_problem(response, 500)
    assert "path" not in response.text and "RuntimeError" not in response.text


def test_a_graph_that_errs_is_said_without_its_words(
    reads: Reads, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "the graph could not be read, rows are by text alone"
    monkeypatch.setattr(GraphStep, "view", lambda *_: (NOTHING, f"{why}: OSError: /secret/path"))
    found = ann.ask(QUESTIONS[0]).json()
    assert found["fallback"] == why and found["rows"]


def test_before_the_first_generation_it_is_not_ready(tmp_path: Path) -> None:
    (tmp_path / "lake").mkdir()
    reads = Reads(open_home(tmp_path))
    caller = Caller(reads, reads.keys.add(ANN)[1])
    assert caller.get("/healthz").status_code == 200
    for response in (caller.get("/readyz"), caller.ask("x"), caller.get("/v1/core")):
        assert is_problem(response, 503) and response.headers["retry-after"] == "5"
    assert is_problem(caller.get("/v1/show/msg_0"), 404)
    assert [path.name for path in (tmp_path / "lake").iterdir()] in ([], ["key.check"])


def test_many_requests_at_once_are_answered_like_one_by_one(reads: Reads, service: Caller) -> None:
    fresh = Reads(open_home(reads.keys._path.parent))  # nothing is kept yet
    caller = Caller(fresh, fresh.keys.add(None)[1])
    asked = [(user, question) for user in (ANN, *HOSTILE[:4]) for question in QUESTIONS[:2]] * 2
    expected = {key: without_ms(service.ask(key[1], user=key[0]).json()) for key in set(asked)}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda key: caller.ask(key[1], user=key[0]), asked))
        cores = list(pool.map(lambda k: caller.get("/v1/core", headers={USER_HEADER: quote(k[0], safe="")}), asked))
    assert [without_ms(answer.json()) for answer in answers] == [expected[key] for key in asked]
    assert [core.json()["user"] for core in cores] == [user for user, _ in asked]


def test_a_new_generation_is_followed(tmp_path: Path) -> None:
    def write(name: str, text: str) -> ArchiveInput:
        said = {"user": ANN, "conversation": name, "id": "1", "speaker": "Sam", "role": "user", "text": text}
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({**said, "time": "2024-05-01T09:00:00Z"}) + "\n")
        return ArchiveInput(path)

    writer = open_home(tmp_path / "home")
    writer.backfill([write("one", "I live in Oslo.")], Progress())
    reads = Reads(open_home(tmp_path / "home"))
    caller = Caller(reads, reads.keys.add(ANN)[1])
    assert [fact["value"] for fact in caller.get("/v1/core").json()["facts"]] == ["Oslo"]
    writer.backfill([write("two", "I work at Siemens.")], Progress())
    assert {fact["value"] for fact in caller.get("/v1/core").json()["facts"]} == {"Oslo", "Siemens"}
    assert "Siemens" in caller.ask("Where does Sam work?").text
