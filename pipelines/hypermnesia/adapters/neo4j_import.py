"""The offline load of an empty, stopped Neo4j: CSV files, written in parts by any number of workers.

    write_part(folder, n, graphs)          in each worker, n its own number: <folder>/<server>/<table>-<n>.csv
    import_parts(admin, folder / server)   for each server: one `neo4j-admin database import full`
    index.build(is_fresh=False)            on the started servers: keys are made; then `publish` reconciles

The model is that of `neo4j_schema.py`. Nodes have numbers in the files, made of part and row, which are not kept.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from hypermnesia.adapters.graph_rows import batches
from hypermnesia.adapters.neo4j_schema import server_of
from hypermnesia.adapters.neo4j_writes import anchor_row, frame_row, hub_number
from hypermnesia.ports.graph import Anchor, Frame, GraphCounts
from hypermnesia.rules.identity import need_user

Graph = tuple[str, str, Iterable[Anchor], Iterable[Frame]]  # user_id, fingerprint, anchors, frames

NODES = {
    "User": "user_id,fingerprint,build:long",
    "Anchor": ":ID(Anchor),user_id,anchor_id,type,name,names,n_records:long,degree:long,fingerprint,checksum:long,"
    "hub:long",
    "Name": ":ID(Name),user_id,name",
    "Frame": ":ID(Frame),user_id,frame_id,predicate,is_event:boolean,occurrence,order,fingerprint,"
    "checksum:long,citations,cited:long,n_citations:long",
    "Citation": ":ID(Citation),cited:long",
}
EDGES = {
    "NAMES": ":START_ID(Name),:END_ID(Anchor)",
    "CITES": ":START_ID(Frame),:END_ID(Citation)",
    "ROLE": ":START_ID(Frame),:END_ID(Anchor),role,written_id,hub:long,order,predicate",
}
FLUSH_ROWS = 20_000
PART_ROWS = 1 << 40
READ_BUFFER = "64m"  # the longest field: a frame's citations


def write_part(folder: Path, part: int, graphs: Iterable[Graph], n_servers: int = 1) -> GraphCounts:
    """Writes users' graphs as one part of the files of each server; returns what they hold.

    A part that is written again replaces its files. Raises `ValueError` for what no store could hold.
    """
    writers = [PartWriter(folder / str(number), part) for number in range(n_servers)]
    try:
        for user_id, fingerprint, anchors, frames in graphs:
            writers[server_of(user_id, n_servers)].add(user_id, fingerprint, anchors, frames)
    finally:
        for writer in writers:
            writer.close()
    return reduce(add, (writer.counts for writer in writers))


def import_parts(admin: Sequence[str], folder: Path) -> None:
    """Loads one server's files: `admin` is the command of neo4j-admin (`start.sh --admin HOME`, or a container's).

    The server must never have been started: what a server holds is not overwritten.
    Raises `RuntimeError` with the end of neo4j-admin's output.
    """
    sources = []
    for option, tables in (("--nodes", NODES), ("--relationships", EDGES)):
        for table, columns in tables.items():
            header = folder / f"{table}-header.csv"
            header.write_text(columns + "\n", encoding="utf-8")
            parts = sorted(path for path in folder.glob(f"{table}-*.csv") if path != header)
            sources.append(f"{option}={table}={','.join(map(str, [header, *parts]))}")
    is_multiline = str((folder / "multiline").exists()).lower()
    command = [*admin, "database", "import", "full", "neo4j", "--id-type=integer", "--bad-tolerance=0"]
    command += [f"--multiline-fields={is_multiline}", f"--read-buffer-size={READ_BUFFER}", *sources]
    command += [f"--report-file={folder / 'report.txt'}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"neo4j-admin did not load {folder}: {done.stdout[-2_000:]}")


class PartWriter:
    """One server's files of one part."""

    def __init__(self, folder: Path, part: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.counts = GraphCounts(0, 0, 0, 0, 0)
        self._folder = folder
        self._next = dict.fromkeys(NODES, part * PART_ROWS)
        self._files = {
            table: _CsvFile(folder / f"{table}-{part:06d}.csv", header) for table, header in (NODES | EDGES).items()
        }

    def add(self, user_id: str, fingerprint: str, anchors: Iterable[Anchor], frames: Iterable[Frame]) -> None:
        """Adds one user's whole graph."""
        self._files["User"].add([[need_user(user_id), fingerprint, 0]])
        numbers: dict[str, tuple[int, int | None]] = {}  # and as a hub
        for anchor_rows in batches((anchor_row(anchor, user_id) for anchor in anchors), len, FLUSH_ROWS):
            self._add_anchors(user_id, anchor_rows, numbers)
        for frame_rows in batches((frame_row(frame, user_id) for frame in frames), len, FLUSH_ROWS):
            self._add_frames(user_id, frame_rows, numbers)

    def _add_anchors(self, user_id: str, rows: Sequence[list[Any]], numbers: dict[str, tuple[int, int | None]]) -> None:
        nodes, names, edges = [], [], []
        for row in rows:
            number, hub = numbers[row[0]] = self._number("Anchor"), hub_number(user_id, row)
            nodes.append([number, user_id, *row[:8], hub])
            for name in row[8]:
                name_number = self._number("Name")
                names.append([name_number, user_id, name])
                edges.append([name_number, number])
        for table, table_rows in (("Anchor", nodes), ("Name", names), ("NAMES", edges)):
            self._files[table].add(table_rows)
        self.counts += GraphCounts(len(rows), 0, 0, 0, sum(row[7] for row in rows))

    def _add_frames(self, user_id: str, rows: Sequence[list[Any]], numbers: dict[str, tuple[int, int | None]]) -> None:
        nodes, citations, cites, roles = [], [], [], []
        n_citations = 0
        for row in rows:
            number = self._number("Frame")
            nodes.append([number, user_id, *row[:10]])
            n_citations += row[9]
            for cited in row[10]:
                citation_number = self._number("Citation")
                citations.append([citation_number, cited])
                cites.append([number, citation_number])
            for role, anchor_id, written_id in row[11]:
                if anchor_id not in numbers:
                    raise ValueError(f"frame {row[0]} has a role of the anchor {anchor_id}, which is not there")
                anchor, hub = numbers[anchor_id]
                near = [None, None] if hub is None else [row[4], row[1]]
                roles.append([number, anchor, role, written_id, hub, *near])
        for table, table_rows in (("Frame", nodes), ("Citation", citations), ("CITES", cites), ("ROLE", roles)):
            self._files[table].add(table_rows)
        self.counts += GraphCounts(0, len(rows), len(roles), n_citations, sum(row[6] for row in rows))

    def _number(self, table: str) -> int:
        self._next[table] += 1
        return self._next[table]

    def close(self) -> None:
        """Writes what is left."""
        for file in self._files.values():
            file.close()
        if any(file.is_multiline for file in self._files.values()):
            (self._folder / "multiline").touch()  # reading fields of several lines is slower


class _CsvFile:
    """A CSV file without a header, written in batches; not there where no row is."""

    def __init__(self, path: Path, header: str) -> None:
        self.is_multiline = False
        self._path = path
        self._columns = header.split(",")
        self._path.unlink(missing_ok=True)
        self._rows: list[list[Any]] = []
        self._writer: Any = None

    def add(self, rows: Iterable[list[Any]]) -> None:
        """Adds rows of one shape."""
        self._rows.extend(rows)
        if len(self._rows) >= FLUSH_ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc
        from pyarrow import csv

        if not self._rows:
            return
        types = {"": pa.string(), "boolean": pa.bool_()}  # else a number
        kinds = [types.get(column.partition(":")[2], pa.int64()) for column in self._columns]
        columns = [pa.array(c, kind) for c, kind in zip(zip(*self._rows, strict=True), kinds, strict=True)]
        table = pa.table(columns, names=self._columns)
        for column in columns:
            if pa.types.is_string(column.type) and not self.is_multiline:
                self.is_multiline = bool(pc.any(pc.match_substring_regex(column, "[\r\n]")).as_py())
        if self._writer is None:
            self._writer = csv.CSVWriter(self._path, table.schema, write_options=csv.WriteOptions(include_header=False))
        self._writer.write_table(table)
        self._rows = []

    def close(self) -> None:
        """Writes what is left and closes the file."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
