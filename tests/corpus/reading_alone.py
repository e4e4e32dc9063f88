"""``python -m tests.corpus.reading_alone NAME``: reads a hostile file under limits of processor
time and memory.

Prints what came of it. Past a limit the process ends: seconds of processor time say of the code,
and not of what else the machine was doing, how much a file asks for.
"""

from __future__ import annotations

import resource
import sys

from annotation.corpus.document_files import read_document
from annotation.corpus.documents import DocumentError
from annotation.corpus.funnel import funnel
from annotation.corpus.language import is_identical
from annotation.corpus.pairs import pairs_of
from annotation.corpus.problems import TableError
from annotation.corpus.segmentation import segment
from annotation.corpus.table_files import read_table
from tests.hostile import FILES

# Five times what the slowest takes on a slow machine; what takes the square of a file's length
# takes minutes.
CPU_SECONDS = 30
MEMORY_BYTES = 768 * 2**20


def outcome(name: str, content: bytes) -> str:
    """What the readers make of a file, to the pairs or the blocks that pages show: "read", or the
    refusal's code."""
    try:
        if name.rpartition(".")[2] in ("csv", "jsonl", "xlsx"):
            table = read_table(content)
            if not table.columns:
                return f"read 0 {table.problems[0].code}"
            pairs = pairs_of(
                table, {"original": 0, "simplification": min(1, len(table.columns) - 1)}
            )
            for row in pairs.rows:
                is_identical(row.original, row.simplification)
            return f"read {len(pairs.rows)} {' '.join(sorted({problem.code for problem in pairs.problems}))}".strip()  # noqa: E501
        read = read_document(content, name, "punycode" if "punycode" in name else "")
        return f"read {len(funnel(segment(read.text, read.hints)).verdicts)}"
    except (TableError, DocumentError) as error:
        return error.problem.code if isinstance(error, TableError) else error.code


if __name__ == "__main__":
    made = FILES[sys.argv[1]]()
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (spent + CPU_SECONDS, spent + CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    print(outcome(sys.argv[1], made))
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"{used.ru_utime + used.ru_stime - spent + 1:.1f} s, {used.ru_maxrss // 1024} MB",
        file=sys.stderr,
    )
