# `make demo` and `make test` do all the set-up they need, in .venv beside this file.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NPM := $(BIN)/python extension/npm.py
SCRIPTS := extension/node_modules/.installed
INSTALLED := $(VENV)/.installed
LOCK := tests/environments/constraints.txt

.PHONY: demo test unit thorough faults mutations fuzz soak audit lock test-matrix test-spark lint types bench docs address recording gallery pictures clean

demo: $(INSTALLED)
	$(BIN)/notebook-udf demo

# All of it, or what is named: make test ARGS="tests/spark/test_scalar.py -k null"
ifdef ARGS
test: $(INSTALLED)
	$(BIN)/python -m pytest $(ARGS)
else
test: $(INSTALLED) lint
	$(NPM) test
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pytest -n auto tests/unit
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/spark tests/fuzz
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/browser tests/notebook
	$(BIN)/python -m pytest tests/faults
	$(BIN)/python -m pytest tests/connect
	$(BIN)/python -m benchmarks small
endif

# Those that need no JVM; within a minute.
unit: $(INSTALLED)
	$(BIN)/python -m pytest -n auto tests/unit

# What is slow and rarely fails, and so no part of `make test`: before a release.
thorough: $(INSTALLED)
	$(BIN)/python -m pytest -m thorough
	$(BIN)/python -m pytest -m thorough tests/connect tests/environments
	NOTEBOOK_UDF_QUERIES=300 $(BIN)/python -m pytest -k test_generated_queries \
		tests/spark/test_differential.py tests/spark/test_joins.py

# What must happen at each fault, with the slow tests; a line for each. An hour.
faults: $(INSTALLED)
	$(BIN)/python -m tests.faults $(ROWS)

# Takes each protection against a fault away in turn, expects its test to fail, and writes
# docs/project/faults.md; half an hour.
mutations: $(INSTALLED)
	$(BIN)/python -m tests.faults.mutations $(ROWS)

# Ten minutes for each reader of what others wrote: make fuzz ARGS="wire --seconds 60"
fuzz: $(INSTALLED)
	$(BIN)/python -m tests.fuzz $(ARGS)

# Two hours of mixed work in one session, 10,000 redefinitions, 20 sessions at once: what grows.
soak: $(INSTALLED)
	$(BIN)/python -m benchmarks soak redefinitions sessions

# Builds the wheel twice, and looks at what it brings: known holes, licences, a bill of materials.
audit: $(INSTALLED)
	$(BIN)/python -m tests.supply_chain

# The newest versions of all packages, from now on.
lock: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --upgrade --upgrade-strategy eager --editable . --group dev
	$(BIN)/python -m tests.supply_chain lock

# What users have: Pythons, pandas, JupyterLab, each in an environment of its own; an hour.
test-matrix: $(INSTALLED)
	$(BIN)/python -m tests.environments.versions $(ARGS)

# Spark's own tests of Python functions, from a copy of its source, with and without a session: none
# that passes without may fail with it. make test-spark ARGS="spark/python sql/tests/test_udf.py"
test-spark: $(INSTALLED)
	$(BIN)/python -m tests.sparks_own $(ARGS)

# The one list of checks: `make test`, and so CI, and the hook before a commit run this.
lint: $(INSTALLED) $(SCRIPTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(NPM) run lint

# What the browser's scripts are told of the types of what they are sent.
types: $(INSTALLED)
	$(BIN)/python extension/messages.py

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks

# Runs the tutorials first, those that have changed since; a broken link fails it.
docs: $(INSTALLED)
	$(BIN)/python docs/_hooks/tutorials.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Another address of the repository, wherever it stands: make address URL=https://github.com/OWNER/NAME
address: $(INSTALLED)
	$(BIN)/python docs/_hooks/address.py $(URL)

# The first minute in a real JupyterLab as one moving picture, for the README and the site.
recording: $(INSTALLED) $(SCRIPTS)
	$(BIN)/python -m tests.browser.recording

# The panels in a real JupyterLab, light and dark, for docs/gallery.md.
gallery: $(INSTALLED) $(SCRIPTS)
	$(BIN)/python -m tests.browser.gallery

# The pictures with which the tutorials open, from a run of those that have changed.
pictures: $(INSTALLED)
	$(BIN)/python docs/_hooks/tutorials.py --pictures $(ARGS)

$(INSTALLED): pyproject.toml extension/package-lock.json $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "notebook-udf needs Python 3.11 or newer; name one with make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "no virtual environment could be made; on Debian and Ubuntu: apt-get install python3-venv"; \
	    rm -rf $(VENV); exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev -c $(LOCK)
	@touch $@

# Building the package installs less, and takes away what only lint and tests need.
$(SCRIPTS): extension/package-lock.json $(INSTALLED)
	$(NPM) ci
	@touch $@

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
