PYTHON ?= python3
BIN := .venv/bin
# Half of what it takes to collect the tests, and a third of every process that they start, is compiling.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all:

.PHONY: help setup up browser test check bench torture renew site peers clean

help:
	@echo "make up       set up, then run everything at http://127.0.0.1:8000"
	@echo "make setup    create .venv with everything pinned"
	@echo "make test     set up, then run the tests"
	@echo "make browser  install Chromium and Japanese fonts, for the tests that look at pages"
	@echo "make check    ruff, mypy --strict, import directions, known vulnerabilities (where they can be looked up)"
	@echo "make bench    measure, side by side with every peer that can be installed"
	@echo "make torture  crash, race, fuzz and bit-flip programmes"
	@echo "make renew    write anew what is made from the code: documents, budgets, calls, pictures, the lock ... (WHAT=docs: only that; see tests/renew.py)"
	@echo "make site     build the documentation site into ./site"
	@echo "make peers    install the other implementations that ours is compared with"

setup: .venv/.ready

# What runs it: enough for `make up`.
.venv/.run: requirements/run.txt pyproject.toml systems/pyproject.toml fakes/pyproject.toml migrations/lessons/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Sekkei needs Python 3.11 or newer; point make at one: make setup PYTHON=python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing the pinned packages into .venv ..."
	@$(PIP) --require-hashes -r requirements/run.txt
	@$(PIP) --no-deps --no-build-isolation -e . -e systems -e fakes -e migrations/lessons
	@touch $@

# And what tests, checks and measures it.
.venv/.ready: .venv/.run requirements/dev.txt
	@echo "installing what the tests need ..."
	@$(PIP) --require-hashes --no-deps -r requirements/dev.txt
	@touch $@

up: .venv/.run
	@exec $(BIN)/sekkei up $(UP)

browser:
	@if command -v chromium >/dev/null && command -v chromium-headless-shell >/dev/null && fc-list 2>/dev/null | grep -q "Noto Sans CJK"; then echo "chromium and the fonts are there"; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -y --no-install-recommends chromium fonts-noto-cjk fonts-noto-color-emoji \
	  && { apt-get install -y --no-install-recommends chromium-headless-shell || echo "Without chromium-headless-shell the tests take longer."; }; \
	elif command -v chromium >/dev/null; then echo "chromium is there; with chromium-headless-shell the tests would take less time"; \
	else echo "Install chromium and Noto CJK fonts with your system's package manager, as root (Debian: apt-get install chromium chromium-headless-shell fonts-noto-cjk)."; exit 1; fi

test: setup
	@$(MAKE) --no-print-directory browser || echo "The tests in a browser will be skipped."
	$(PYTEST) tests -m "not torture" -n auto --dist worksteal

check: setup
	$(BIN)/ruff check sekkei systems fakes migrations tests bench
	$(BIN)/ruff format --check sekkei systems fakes migrations tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --quiet sekkei systems
	@$(BIN)/python requirements/supply.py check
	@$(BIN)/python requirements/supply.py audit
	@if command -v npm >/dev/null; then npm install --no-save --silent --no-audit --no-fund && npm run --silent check; \
	else echo "Scripts and styles are not checked: that needs npm."; fi

bench: setup
	$(BIN)/python -m bench

torture: setup
	$(PYTEST) tests -m torture --hypothesis-profile by-chance -n auto --dist worksteal

renew: setup
	@$(BIN)/python -m tests.renew $(WHAT)

# In an environment of its own: nothing else needs what builds the site.
.site-venv/.ready: requirements/site.txt
	@test -x .site-venv/bin/python || $(PYTHON) -m venv .site-venv
	@.site-venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/site.txt
	@touch $@

site: .site-venv/.ready
	@NO_MKDOCS_2_WARNING=1 .site-venv/bin/mkdocs build --quiet --strict
	@echo "site/index.html"

peers: setup
	$(BIN)/python -m bench.peers

clean:
	rm -rf .venv build dist
