# One word per chore. Needs python3.11 (or a python3 that is at least that), make and git; everything else goes to .venv.

VENV   := .venv
BIN    := $(VENV)/bin
PYTHON := $(shell command -v python3.11 || command -v python3)
UV     := $(BIN)/uv pip install --quiet --python $(BIN)/python $(foreach place,$(PIP_FIND_LINKS),--find-links $(place))

PORT   ?= 8000
# One more than there are cores: tests that start real processes wait for them.
TESTERS := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
# A file's tests in one process: what they begin with is made once, a third less work than dealing them out one by one.
# Files in the order of tests/order.py, not by their number of tests.
PYTEST ?= $(BIN)/python -m pytest --numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder
# What asks for no server, or brings its own, has run by then. So have browser tests; CI runs their main flows on these
# servers too.
SERVERS_SELECT ?= -m "not once and not browser"
# For each reader. Longer by hand: what is found is kept under var/fuzz, and a later run begins there.
SECONDS ?= 8
# The same in CI each time: what a change did not cause is not found on its account.
SEED ?= 1
# The second run leaves some out where the first took long, and says so (tests/shares.py).
STARTED := $(shell date +%s)
# What the database has a part in, measured on both.
BENCH_BOTH := judging load importing exports generation growth
# Only what reaches rules and services: tracing costs most tests nearly their own time again (tests/traced.py).
TRACED := --traced --cov --cov-branch --cov-report=
# Where the time went is written down, and said at the end (tests/durations.py).
JUNIT  := $(if $(REPORT),--junitxml=var/suite-)
# Some surroundings tell Python to throw compiled modules away. Each start would compile a thousand of them anew: two
# seconds and 15 MB more for whatever is started here, hundreds of times in the suite.
unexport PYTHONDONTWRITEBYTECODE
# Of the tests, those that `make check` runs; none where the whole suite has run.
HOUSE  ?= tests/house
# Tried beside the one that the image has, where this machine has them; and what of the suite.
PYTHONS ?= 3.12 3.13
PYTHONS_SELECT ?= -m "not browser"
# What a real deployment sets, for the checks that look at such settings.
DEPLOYED := BAREME_DEMO=0 BAREME_PUBLIC_URL=https://bareme.example.org \
            BAREME_SECRET_KEY=only-for-checking-settings-0123456789-abcdefghijklmnop

.PHONY: help run stack ml crowd quick test test-embedded test-servers test-slowed test-pythons image-test hosts-test hostile coverage bench fuzz openapi check audit sbom hooks \
        format lock clean
.DEFAULT_GOAL := help

help: ## Show the chores
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/runtime.stamp: requirements.txt | $(BIN)/uv
	@echo "Installing requirements.txt"
	@$(UV) -r requirements.txt
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt | $(BIN)/uv
	@echo "Installing requirements-dev.txt"
	@$(UV) -r requirements-dev.txt
	@touch $@ $(VENV)/runtime.stamp

$(VENV)/ml.stamp: requirements-ml.txt | $(BIN)/uv
	@echo "Installing requirements-ml.txt"
	@$(UV) -r requirements-ml.txt
	@touch $@

# Without what these name beyond what is imported: see requirements-crowd.in.
$(VENV)/crowd.stamp: requirements-crowd.txt | $(VENV)/runtime.stamp
	@echo "Installing requirements-crowd.txt"
	@$(UV) --no-deps -r requirements-crowd.txt
	@touch $@

run: $(VENV)/runtime.stamp ## Start everything on this machine with a demonstration (PORT=8000)
	@exec $(BIN)/python manage.py serve --demo --port $(PORT)

stack: $(VENV)/dev.stamp ## The same as Docker would start it: PostgreSQL, Redis, two web processes, a worker per queue
	@exec $(BIN)/python manage.py stack --demo --port $(PORT)

ml: $(VENV)/ml.stamp $(VENV)/crowd.stamp ## Install what the transformer scorer needs (PyTorch: large; PIP_FIND_LINKS names local wheels), and `crowd`

crowd: $(VENV)/crowd.stamp ## Install what models annotators and systems (crowd-kit, statsmodels)

quick: $(VENV)/dev.stamp ## What your change touches, the nearest tests first, on SQLite, for a minute
	@env -u DATABASE_URL -u REDIS_URL -u BAREME_REQUIRE_POSTGRES $(BIN)/python -m tests.touched $(FILES)

test: test-embedded test-servers ## The suite on SQLite, then on a real PostgreSQL and Redis

test-embedded: $(VENV)/dev.stamp ## The suite on SQLite, browser tests included where Chromium is installed
	@echo "== Suite on SQLite"
	@env -u DATABASE_URL -u REDIS_URL -u BAREME_REQUIRE_POSTGRES $(PYTEST) $(if $(JUNIT),$(JUNIT)sqlite.xml)
	-@$(if $(JUNIT),$(BIN)/python -m tests.durations var/suite-sqlite.xml)

test-servers: $(VENV)/dev.stamp ## The suite on PostgreSQL and Redis: DATABASE_URL, REDIS_URL, or servers from PyPI
	@echo "== Suite on PostgreSQL and Redis"
	@BAREME_REQUIRE_POSTGRES=1 BAREME_FIRST_RUN_SECONDS=$$(($$(date +%s) - $(STARTED))) \
		$(BIN)/python -m tests.servers --postgres --redis -- \
		$(PYTEST) $(SERVERS_SELECT) $(if $(JUNIT),$(JUNIT)postgresql.xml)
	-@$(if $(JUNIT),$(BIN)/python -m tests.durations var/suite-postgresql.xml)

test-slowed: $(VENV)/dev.stamp ## What starts processes or waits for something, on one core that others want too (an hour or two)
	@env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m tests.slowed -- $(BIN)/python -m pytest -m "slow or redis or browser"

# 3.13 warns of each SQLite connection that is left to garbage collection, as the tests' own threads leave theirs.
test-pythons: $(VENV)/dev.stamp ## The suite on SQLite with other Pythons that this machine has (PYTHONS="3.12 3.13")
	@for version in $(PYTHONS); do \
		place=var/pythons/$$version; found=; \
		for python in python$$version "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$$version*/bin/python; do \
			"$$python" -c '' 2> /dev/null && { found=$$python; break; }; \
		done; \
		[ -n "$$found" ] || { echo "== No Python $$version on this machine: left out"; continue; }; \
		echo "== Suite on $$("$$found" --version)"; \
		[ -x $$place/bin/python ] || "$$found" -m venv --without-pip $$place || exit 1; \
		$(BIN)/uv pip install --quiet $(foreach place,$(PIP_FIND_LINKS),--find-links $(place)) --python $$place/bin/python \
			-r requirements-dev.txt || exit 1; \
		env -u DATABASE_URL -u REDIS_URL -u BAREME_REQUIRE_POSTGRES $$place/bin/python -m pytest \
			--numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder -W default::ResourceWarning $(PYTHONS_SELECT) || exit 1; \
	done

image-test: $(VENV)/dev.stamp ## Build the image, bring docker-compose.yml up, use, upgrade under load, restore (root; Debian's podman)
	@$(BIN)/python -m tests.image

hosts-test: $(VENV)/dev.stamp ## The same image on hosts that share no folder, S3 between them; hosts that die (after image-test)
	@$(BIN)/python -m tests.image --hosts

coverage: $(VENV)/dev.stamp ## Branches of rules and services that their tests reach, on both databases: none may be missing
	@rm -f .coverage .coverage.*
	@env -u DATABASE_URL -u REDIS_URL -u BAREME_REQUIRE_POSTGRES $(PYTEST) $(TRACED)
	@BAREME_REQUIRE_POSTGRES=1 $(BIN)/python -m tests.servers --postgres --redis -- $(PYTEST) $(TRACED) --cov-append
	@$(BIN)/coverage report --include="annotation/protocols/*,annotation/services/*" --fail-under=100

hostile: $(VENV)/dev.stamp ## Hostile bodies for every page and operation that writes, 150 each: some 50,000 (BAREME_HOSTILE_SEED=1 sends others; an hour)
	@BAREME_HOSTILE_BODIES=150 $(PYTEST) tests/web/test_hostile_writes.py tests/api/test_hostile_writes.py

openapi: $(VENV)/dev.stamp ## Write docs/openapi.yaml anew after a change of the API, and docs/protocol.schema.json
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --lang en --file docs/openapi.yaml
	$(BIN)/python manage.py protocol schema > docs/protocol.schema.json

bench: $(VENV)/dev.stamp ## Timings against floors of the same run, on SQLite and on PostgreSQL; also written to var/bench.jsonl
	@for what in startup agreement scorer programs; do env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m bench.$$what || exit 1; done
	@for what in $(BENCH_BOTH); do env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m bench.$$what || exit 1; done
	@$(BIN)/python -m tests.servers --postgres --redis -- \
		sh -c 'for what in $(BENCH_BOTH); do $(BIN)/python -m bench.$$what || exit 1; done'
	@env -u DATABASE_URL -u REDIS_URL $(BIN)/python -m bench.exports --judgments 1000000

fuzz: $(VENV)/dev.stamp ## Look for files that a reader cannot take, by coverage (SECONDS=8 for each of twenty-six readers, SEED=1)
	@mkdir -p var
	@for what in delimited jsonl xlsx judged parquet frjudge jades csmd plain_pairs metric_scores human_scores summaries question_rows qa_replies glossary machine_answers edits edit_columns thresh brat yawat text docx pdf encodings replies; do \
		echo "== Fuzzing $$what"; \
		$(BIN)/python -m tests.fuzz $$what $(SECONDS) $(SEED) > var/fuzz-$$what.log 2>&1 || { tail -n 60 var/fuzz-$$what.log; exit 1; }; \
		grep -e 'number_of_executed_units' var/fuzz-$$what.log; \
	done

check: $(VENV)/dev.stamp ## Format, lint, types, import contracts, templates, migrations, translations, sizes, settings, keys in commits
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(DEPLOYED) $(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python -m tests.house.sizes
	$(BIN)/radon cc annotation api workers --min C --show-complexity --average
	$(BIN)/python -m tests.house.leaks
	@$(if $(HOUSE),env -u DATABASE_URL -u REDIS_URL -u BAREME_REQUIRE_POSTGRES $(BIN)/python -m pytest --quiet $(HOUSE))
	@$(BIN)/python -m tests.house.audit --go-on

audit: $(VENV)/dev.stamp ## Known vulnerabilities of the pinned libraries; fails also where they could not be looked up
	@$(BIN)/python -m tests.house.audit

sbom: $(VENV)/dev.stamp ## List all libraries with their licences: docs/licences.md, and CycloneDX in var/sbom.cdx.json
	@$(BIN)/python -m tests.house.libraries

hooks: ## Look for keys and passwords at each commit, before it is made
	git config core.hooksPath .githooks

format: $(VENV)/dev.stamp ## Put code into the house's form
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

lock: $(VENV)/dev.stamp ## Pin requirements*.in with everything they need
	@for name in requirements requirements-s3 requirements-telemetry requirements-oidc requirements-dev; do \
		$(BIN)/uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 --no-header --no-emit-index-url --no-emit-find-links \
			$$name.in --output-file $$name.txt; done
	@echo "requirements-ml.txt is pinned by hand: see the note in requirements-ml.in. Then: make sbom"

clean: ## Remove what the chores made; var/ (your database) stays
	rm -rf $(VENV) .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find locale -name '*.mo' -delete
