"""What a web process loads before it answers: nobody waits for libraries that only some jobs
use, and nothing holds their memory while no such job is there."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

# numpy is loaded: a hundred modules of the statistics name it, for a twentieth of the start.
_FOR_JOBS = (
    *("docx", "lxml", "openai", "openpyxl", "pandas", "pyarrow", "pypdf", "pyphen", "pysbd"),
    *("rapidfuzz", "sacrebleu", "sacremoses", "scipy", "sklearn", "snowballstemmer"),
    *("cryptography.hazmat.primitives", "markdown_it", "pyrage"),
)
# Of installations that have more.
_FOR_SOME = (
    *("boto3", "botocore", "crowdkit", "joblib", "matplotlib", "nltk", "rdflib", "statsmodels"),
    *("tokenizers", "torch", "transformers"),
)
_START = """
import gc, sys
import annotation.config
loading = gc.get_threshold()[0]
import annotation.config.wsgi
print(loading, gc.get_threshold()[0])
print(*sys.modules)
"""


def test_a_web_process_starts_without_what_only_jobs_use(tmp_path: Path) -> None:
    assert all(map(find_spec, _FOR_JOBS))
    own = {name: value for name, value in os.environ.items() if not name.startswith("BAREME_")}
    own |= {"BAREME_DATA_DIR": str(tmp_path), "BAREME_DEMO": "1", "DATABASE_URL": ""}
    own |= {"DJANGO_SETTINGS_MODULE": "annotation.config.settings"}
    lines = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _START],
        env=own,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    modules = set(lines[1].split())
    assert "annotation.web.agreement.urls" in modules
    assert not modules & {*_FOR_JOBS, *_FOR_SOME}
    # While modules are loaded, Python looks for garbage more seldom than it would by itself, and
    # afterwards no more seldom than before.
    assert [int(threshold) for threshold in lines[0].split()] == [200_000, 50_000]
