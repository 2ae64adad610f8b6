# Hypermnesia: `make help` lists what there is. Needs Python 3.11 to 3.13, make and a package registry.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DELETE_ON_ERROR:

# The first Python that runs here and is of a version we support; `make PYTHON=/path/to/python` chooses another.
SUPPORTED := import sys; (3, 11) <= sys.version_info[:2] < (3, 14) or sys.exit(1); print(sys.executable)
find_python = $(shell for p in python3 python3.13 python3.12 python3.11; do $$p -c '$(SUPPORTED)' 2>/dev/null && break; done)
PYTHON ?= $(find_python)

# uv from PATH, else our own copy in .tools/ (made by `make setup`, touches nothing outside this folder).
UV_ON_PATH := $(shell command -v uv 2>/dev/null)
UV := $(or $(UV_ON_PATH),.tools/venv/bin/uv)

TEST_JOBS ?= 2
ARGS ?=
BIN := .venv/bin
STAMP := .venv/.synced

export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := .venv
export UV_HTTP_TIMEOUT ?= 180
export RAY_USAGE_STATS_ENABLED ?= 0
export MLFLOW_DISABLE_TELEMETRY ?= true
unexport VIRTUAL_ENV

.PHONY: help setup demo test test-vllm soak bench bench-archives bench-graph bench-retrieval bench-slots lint format clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## install everything into .venv (nothing to do when uv.lock is unchanged)
	@:

demo: setup ## build a memory from the sample archive and ask it five questions
	@$(BIN)/hypermnesia demo

test: setup ## all tests but the long ones; ARGS="-k name" picks some
	@$(BIN)/pytest -n $(TEST_JOBS) --dist loadfile -m "not soak" $(ARGS)

VLLM_MODEL ?= .vllm-env/smollm2-135m

.vllm-env/.ready:
	@tests/vllm/make_env.sh .vllm-env $(UV) $(PYTHON) ../shared/tools/get_model.sh

test-vllm: .vllm-env/.ready ## the model path on a real vLLM engine on the CPU, with a small real model
	@HYPERMNESIA_TEST_MODEL=$(abspath $(VLLM_MODEL)) PYTHONPATH=pipelines:. \
		.vllm-env/bin/python -m pytest tests/vllm -m vllm $(ARGS)

soak: setup ## the long tests
	@$(BIN)/pytest -m soak $(ARGS)

bench: setup ## measure how fast the stages run here
	@$(BIN)/python -m tests.bench.spine $(ARGS)

bench-archives: setup ## measure how fast each archive format is read, and in how much memory
	@$(BIN)/python -m tests.bench.archives $(ARGS)

bench-graph: setup ## measure loading and reading of both graph stores
	@$(BIN)/python -m tests.bench.graph $(ARGS)

bench-retrieval: setup ## measure questions over histories of up to a million rows
	@$(BIN)/python -m tests.bench.retrieval $(ARGS)

bench-slots: setup ## measure how full the calls to a model are kept
	@$(BIN)/python -m tests.bench.slots $(ARGS)

lint: setup ## style, types and the direction of imports; changes nothing
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: setup ## put the code into the project's style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean: ## remove .venv, .tools and caches; a memory (./memory) stays
	@rm -rf .venv .tools .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
	@find pipelines tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml uv.lock | $(if $(UV_ON_PATH),,.tools/venv/bin/uv)
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 found; name one: make setup PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Installing into .venv (the first time takes a few minutes) ..."
	@$(UV) sync --locked --quiet --compile-bytecode --python "$(PYTHON)"
	@touch $@
	@echo "Ready: $(BIN)/hypermnesia"

.tools/venv/bin/uv:
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 found; name one: make setup PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Installing uv into .tools ..."
	@"$(PYTHON)" -m venv .tools/venv || { echo "Python's venv module is missing (on Debian: the package python3-venv)" >&2; exit 1; }
	@.tools/venv/bin/python -m pip install --quiet --disable-pip-version-check "uv>=0.8"
