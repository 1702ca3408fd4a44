# What CI runs, and what a newcomer runs. Needs Python >= 3.9 and a C compiler; nothing has to be activated.
#   make demo    installs into .venv-demo, runs the demonstration, says where its report is
#   make test    installs into .venv-test, runs the whole test suite against the installed package
# With another Python: make test PYTHON=python3.12

PYTHON ?= python3
PYTEST_ARGS ?= -q
PIP := -m pip install --quiet --disable-pip-version-check
DEV := .venv-dev/bin/

SOURCES := setup.py pyproject.toml $(wildcard ugt/*.py ugt/*/*.py ugt/_core/*.p[xy][xdi] ugt/_core/*.h ugt/_core/[a-z]*.c)
C_CORE := $(sort $(wildcard ugt/_core/[a-z]*.c))
C_TESTS := $(sort $(wildcard tests/c/test_*.c))
C_FLAGS := -std=c11 -Wall -Wextra -Wconversion -Werror -O1 -g -fno-omit-frame-pointer -Iugt/_core

.PHONY: demo test build lint format ctest docs bench wheel sdist clean

demo: .venv-demo/installed
	.venv-demo/bin/ugt demo

test: .venv-test/installed
	.venv-test/bin/pytest $(PYTEST_ARGS)

# Installed anew whenever a source has changed; build/ goes first because it may hold files of an older tree.
.venv-demo/installed: REQUIREMENT := .
.venv-test/installed: REQUIREMENT := .[test]
.venv-demo/installed .venv-test/installed: $(SOURCES)
	$(PYTHON) -m venv $(@D)
	rm -rf build
	$(@D)/bin/python $(PIP) "$(REQUIREMENT)"
	@touch $@

# The developer's environment runs the tree itself; `make build` compiles what has changed.
.venv-dev/installed: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(DEV)python $(PIP) --editable ".[dev,test,docs]"
	@touch $@

build: .venv-dev/installed
	$(DEV)python setup.py --quiet build_ext --inplace

lint: .venv-dev/installed
	$(DEV)ruff check .
	$(DEV)ruff format --check .
	$(DEV)mypy

format: .venv-dev/installed
	$(DEV)ruff check --fix .
	$(DEV)ruff format .

# Every program of tests/c with the whole core: under the sanitizers, then plain under valgrind where there is one.
ctest:
	@mkdir -p build/ctest
	@set -e; for test in $(C_TESTS); do \
	    program=build/ctest/$$(basename $$test .c); echo "$$test"; \
	    $(CC) $(C_FLAGS) -fsanitize=address,undefined -fno-sanitize-recover=all $$test $(C_CORE) -lm -o $$program-sanitized; \
	    $$program-sanitized; \
	    $(CC) $(C_FLAGS) $$test $(C_CORE) -lm -o $$program; \
	    if command -v valgrind >/dev/null; then valgrind --quiet --leak-check=full --error-exitcode=9 $$program; \
	    else echo "no valgrind: skipped"; fi; \
	done

# The pages, into build/docs, without a warning; then every example in them and in the docstrings.
docs: export MPLBACKEND = Agg
docs: build
	$(DEV)python -m sphinx -q -E -W --keep-going -n -b html -d build/doctrees docs build/docs
	@echo "pages: build/docs/index.html"
	$(DEV)python -m pytest -q --doctest-glob='*.md' README.md docs
	$(DEV)python -m pytest -q --doctest-modules ugt

bench: build
	@set -e; for bench in benchmarks/bench_*.py; do echo "$$bench"; $(DEV)python $$bench; done

wheel: .venv-dev/installed
	rm -rf build
	$(DEV)python -m build --wheel

sdist: .venv-dev/installed
	$(DEV)python -m build --sdist

clean:
	rm -rf build dist *.egg-info .venv-demo .venv-test .venv-dev .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f ugt/_core/_*.c ugt/_core/*.so ugt/_core/*.pyd
	rm -rf docs/reference docs/gallery/*.png
	find ugt tests -name __pycache__ -prune -exec rm -rf {} +
