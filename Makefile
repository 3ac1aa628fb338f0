# One command each; all quick the second time. PYTHON chooses the interpreter: make test PYTHON=python3.12
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
CORE := $(VENV)/.core-installed
DEV := $(VENV)/.dev-installed
DOCS := $(VENV)/.docs-installed
# Python keeps what it has compiled, even where it is told not to: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo install test coverage same lint format bench smoke docs clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(CORE) ## set up and do the main job on generated data
	@$(BIN)/r5 demo

install: $(DEV) ## everything for working on the project, extras included

test: $(DEV) ## all tests on all cores
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

coverage: $(DEV) ## the same, with branch coverage of src
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term $(ARGS)

same: $(DEV) ## what is documented, as if on a processor of another kind (CPU=generic)
	.ci/as-if-on $(or $(CPU),generic) $(BIN)/python -m pytest tests/contracts -n auto --dist worksteal -m same_everywhere $(ARGS)

lint: $(DEV) ## ruff, mypy --strict, direction of imports, spelling, sentences of the documentation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md docs examples src tools benchmarks experiments
	$(BIN)/python -m tools.prose

format: $(DEV) ## let ruff format and fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

smoke: $(DEV) ## the paper's experiments, cut down to a minute or two
	$(BIN)/r5 bench paper --quick --out $(or $(OUT),$(shell mktemp -d)) --quiet

bench: $(DEV) ## speed, as ratios measured side by side
	$(BIN)/python benchmarks/paths.py
	$(BIN)/python benchmarks/rules.py
	$(BIN)/python benchmarks/grammar_speed.py
	$(BIN)/python benchmarks/agent_speed.py

docs: $(DOCS) ## the documentation site, warnings as errors, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean: ## remove what the other targets made
	find src -type d -name 'kernels-*' -exec rm -r {} +
	rm -rf $(VENV) site dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "r5 needs Python 3.11 or newer; $(PYTHON) is older: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 1; }
	@echo "creating $(VENV)" >&2
	@$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml constraints.txt $(VENV)/pyvenv.cfg
	@echo "installing r5" >&2
	@$(PIP) --editable .
	@touch $@

$(DEV): pyproject.toml constraints.txt $(VENV)/pyvenv.cfg
	@echo "installing r5 with extras and development tools (this takes a minute or two)" >&2
	@$(PIP) --editable '.[dev]'
	@touch $@ $(CORE)

$(DOCS): pyproject.toml constraints.txt $(CORE)
	@echo "installing the documentation tools" >&2
	@$(PIP) --editable '.[docs,torch]'
	@touch $@
