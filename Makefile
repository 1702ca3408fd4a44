# The commands of CI and of newcomers. They need Python >= 3.9 and a C compiler; no environment has to be activated.
#   make demo    installs into .venv-demo, runs the demonstration, prints the path of its report
#   make test    installs into .venv-test, runs the tests against the installed package
# With another Python: make test PYTHON=python3.12

PYTHON ?= python3
PYTEST_ARGS ?= -q -n auto --dist loadfile --no-loadscope-reorder -m "not full"
PIP := -m pip install --quiet --disable-pip-version-check
DEV := .venv-dev/bin/
PACK := .venv-pack/bin/
PLATFORM ?= manylinux2014_x86_64
PYTHON_VERSION ?= 3.11

SOURCES := setup.py pyproject.toml $(wildcard ugt/*.py ugt/*/*.py ugt/*/*/*.py ugt/_core/*.p[xy][xdi] ugt/_core/*.h ugt/_core/[a-z]*.c)

.PHONY: demo test simulations build lint format ctest ctest-clang msan tsan coverage asan-python asan-python-core docs reproductions instructions \
    bench versus wheel sdist clean mutation interrupt kill sizes wheels test-windows test-aarch64 test-s390x test-narrow audit offline offline-test sdist-test recipe

demo: .venv-demo/installed
	@echo "The demonstration runs: half a minute."
	.venv-demo/bin/ugt demo

test: .venv-test/installed
	@echo "The tests run: about 8 minutes on two processors."
	.venv-test/bin/pytest $(PYTEST_ARGS)

# All data sets of every simulation, of which CI takes a few: about half an hour on two processors. Integrals of all dermatology cases
# beside a million draws, and with tolerances a hundred times smaller, take more.
simulations: .venv-test/installed
	UGT_ALL_DATA_SETS=1 .venv-test/bin/pytest -q -n auto --dist loadfile --no-loadscope-reorder -m full tests/statistical \
	    tests/unit/test_plackett_luce_integrals.py

# Both run on one wheel, compiled again if a source has changed; build/ is removed first because it may hold files of an older tree.
# TESTED=... names another wheel for the tests.
WHEEL := .venv-wheel/$(notdir $(PYTHON))
TESTED ?= $$(ls $(WHEEL)/ugt-*.whl)
$(WHEEL)/made: $(SOURCES)
	@echo "ugt is compiled into a wheel, for make demo and make test: about 1 minute on two processors."
	rm -rf build $(@D)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(@D) .
	@touch $@

.venv-demo/installed: INSTALLED = $$(ls $(WHEEL)/ugt-*.whl)
.venv-test/installed: INSTALLED = $(TESTED)
.venv-test/installed: EXTRAS = [test]
.venv-demo/installed: $(WHEEL)/made
.venv-test/installed: $(if $(filter file,$(origin TESTED)),$(WHEEL)/made)
.venv-demo/installed .venv-test/installed:
	@echo "The wheel and what it needs are installed into $(@D): half a minute, or longer on a slow network."
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) "$(INSTALLED)$(EXTRAS)"
	$(@D)/bin/python $(PIP) --no-deps --force-reinstall "$(INSTALLED)"
	@touch $@

# The developer's environment runs the tree itself; `make build` compiles changed files. It does not isolate the build, because another
# path to Cython would compile all files twice.
.venv-dev/installed: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(DEV)python $(PIP) "cython>=3.2,<3.4" "setuptools>=77"
	$(DEV)python $(PIP) --no-build-isolation --editable ".[dev,test,docs]"
	@touch $@

build: .venv-dev/installed
	$(DEV)python setup.py --quiet build_ext --inplace

lint: .venv-dev/installed
	$(DEV)ruff check .
	$(DEV)ruff format --check .
	$(DEV)mypy
	$(DEV)python tests/house.py

format: .venv-dev/installed
	$(DEV)ruff check --fix .
	$(DEV)ruff format .

# The C core and its test programs (tests/c/Makefile has the flags and explains them), one job per processor.
# ctest: under the address and undefined behaviour sanitizers, and plain under valgrind (with VALGRIND=spare only where msan is not to be
# had: it takes four of five minutes); ctest-clang: the former with clang;
# msan: reads of memory that was not written (clang); tsan: every kernel from several threads at once;
# coverage: how many lines of the core the programs reach, file by file. A step without its compiler is skipped with a message.
C_MAKE = $(MAKE) --no-print-directory --file tests/c/Makefile --jobs $(shell getconf _NPROCESSORS_ONLN) --output-sync=target
ctest ctest-clang msan tsan coverage:
	@$(C_MAKE) $@

# The Python tests on extension modules with the address and undefined behaviour sanitizers, in a copy of the tree. All of them take
# about an hour; ASAN_TESTS names a part, asan-python-core runs the tests that call the core most.
ASAN_TESTS ?= tests/unit tests/property tests/published
ASAN_FLAGS := -fsanitize=address,undefined -fno-omit-frame-pointer -g -O1
asan-python-core: ASAN_TESTS = $(patsubst %,tests/unit/test_%.py,annotator_models bindings core_tables doors_csv gamma histogram masks \
    memory posteriors sort stream tables)
asan-python asan-python-core: .venv-dev/installed
	@mkdir -p build/asan
	@tar -cf - --exclude='*.so' --exclude=__pycache__ --exclude='./.venv*' --exclude=./build --exclude=./dist --exclude=./.git . | \
	    tar -xf - -C build/asan
	cd build/asan && UGT_CFLAGS="$(ASAN_FLAGS)" $(CURDIR)/$(DEV)python setup.py --quiet build_ext --inplace
	cd build/asan && PYTHONPATH=$(CURDIR)/build/asan PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	    LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	    $(CURDIR)/$(DEV)python -m pytest -q -p no:cacheprovider --ignore=tests/unit/test_packaging.py $(ASAN_TESTS)

# Faults planted in the modules that compute metrics: at least 85 in 100 must make a test fail. All of them take hours on two
# processors: SHARE=0.03 plants this share in every module, always the same; MUTATION_ARGS=--keep continues the last run.
SHARE ?= 1
mutation: build .venv-mutation/installed
	.venv-mutation/bin/python tests/mutation/run.py --share $(SHARE) $(MUTATION_ARGS)

.venv-mutation/installed: pyproject.toml tests/mutation/requirements.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) numpy scipy pytest hypothesis scikit-learn -r tests/mutation/requirements.txt
	@touch $@

# Builds the pages into build/docs without a warning, then runs every example in them and in the docstrings. Worked studies without data
# are skipped (UGT_CHEXPERT, UGT_DATA, UGT_VANDYKE).
docs: export MPLBACKEND = Agg
docs: build
	$(DEV)python -m sphinx -q -E -W --keep-going -n -b html -d build/doctrees docs build/docs
	@echo "pages: build/docs/index.html"
	$(DEV)python -m pytest -q --doctest-glob='*.md' README.md docs
	$(DEV)python -m pytest -q --doctest-modules ugt

# The published results, computed again into docs/reproductions; those on the dermatology data, on CheXpert and of the alternative
# annotator test need these (UGT_DATA, UGT_CHEXPERT, UGT_ALTTEST).
reproductions: build
	$(DEV)python docs/reproductions/make.py

# Ctrl-C 200 times, SIGKILL 100 times, at random moments; both need POSIX signals.
interrupt: build
	$(DEV)python tests/stress/interrupt.py 200

kill: build
	$(DEV)python tests/stress/kill.py 100

# Tables of more than 2³¹ cells through every public function, within 6 GB each; takes an hour or two. Linux.
sizes: build
	$(DEV)python tests/stress/sizes.py

# Instructions of every kernel under valgrind, compared with the stored numbers: none may take over 5% more.
instructions: build
	$(DEV)python benchmarks/instructions.py

# The library's own benchmarks, then docs/speed.md with every target, met or not. They take about a quarter of an hour on two idle
# processors, with the packages that the targets name, in a separate environment.
bench: export PYTHONPATH = $(CURDIR)
bench: export OPENBLAS_NUM_THREADS = 1
bench: build .venv-bench/installed
	@status=0; for bench in benchmarks/bench_*.py benchmarks/targets.py; do .venv-bench/bin/python $$bench || status=1; done; exit $$status

.venv-bench/installed: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) numpy scipy scikit-learn pandas krippendorff statsmodels pyperf
	@touch $@

# ugt compared with scikit-learn, crowd-kit and others, each in a separate environment below .venv-versus (8 GB, most of it for one);
# writes docs/versus.md. Some 7 minutes a run with one round, installing not counted; three such runs: make versus VERSUS_ARGS="--runs 3 --rounds 1"
VERSUS_ARGS ?=
versus:
	$(PYTHON) benchmarks/versus/run.py $(VERSUS_ARGS)

wheel: .venv-dev/installed
	rm -rf build
	$(DEV)python -m build --wheel

sdist: .venv-dev/installed
	$(DEV)python -m build --sdist

# The pinned tools that make and audit the release files.
.venv-pack/installed: packaging/requirements.txt
	$(PYTHON) -m venv $(@D)
	$(PACK)python $(PIP) -r $<
	@touch $@

# Wheels for Linux (glibc 2.17 and musl), Windows and macOS, Intel and ARM, into dist: one for all Pythons from 3.11, on some systems also
# cp39 and cp310; what is not to be had is skipped. Some 20 minutes of processor time; WHEELS="--systems win_amd64 --pythons 3.11" makes one.
WHEELS ?=
wheels: .venv-pack/installed
	$(PACK)python packaging/wheels.py $(WHEELS)

# The tests on other systems, from Linux x86-64: Windows under wine, ARM and s390x (big endian) under qemu. Nothing is installed; what is
# needed (some 3 GB) is unpacked into .venv-systems, and a system whose parts are not to be had is skipped. SYSTEM_TESTS=--part takes the
# tests that another system may break most: some minutes; all take up to an hour each on two processors.
SYSTEM_TESTS ?=
TAG_windows := win_amd64
TAG_aarch64 := manylinux2014_aarch64
TAG_s390x := linux_s390x
test-windows test-aarch64 test-s390x: test-%: .venv-pack/installed
	$(PACK)python packaging/wheels.py --pythons 3.11 --systems $(TAG_$*) manylinux2014_x86_64
	$(PACK)python packaging/systems.py $* $(SYSTEM_TESTS)

# The tests with numpy's default integer 32 bits wide, as on Windows before numpy 2.
NARROW_TESTS ?= tests/unit
test-narrow: .venv-test/installed
	PYTHONPATH=tests .venv-test/bin/pytest -q -p narrow -m "not full and not slow" $(NARROW_TESTS)

# The wheels in dist by the rules of their systems; then all, or those of REBUILD="3.11 ... --systems TAG ...", built again elsewhere: the
# bytes must be the same.
audit: .venv-pack/installed
	$(PACK)python packaging/audit.py --rebuild $(REBUILD)

# One archive that installs without a network: make offline PLATFORM=win_amd64 PYTHON_VERSION=3.12 (needs a wheel of ugt for it in dist).
offline: .venv-pack/installed
	$(PACK)python packaging/offline.py --platform $(PLATFORM) --python-version $(PYTHON_VERSION)

# Installs the newest archive for Linux in dist without a network, and runs the demonstration and the tests there.
offline-test:
	packaging/offline_test.sh

# Checks that the source distribution builds with its declared requirements only.
sdist-test:
	packaging/sdist_test.sh $(PYTHON)

# The conda recipe: it must agree with pyproject.toml, and is rendered if py-rattler-build is available.
recipe: .venv-pack/installed
	$(PACK)python $(PIP) py-rattler-build || echo "py-rattler-build is not available here"
	$(PACK)python packaging/check_recipe.py

clean:
	rm -rf build dist *.egg-info .venv-wheel .venv-demo .venv-test .venv-dev .venv-mutation .venv-pack .venv-versus .venv-bench .venv-systems .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f ugt/_core/_*.c ugt/_core/*.so ugt/_core/*.pyd
	rm -rf docs/reference docs/gallery/*.png
	find ugt tests -name __pycache__ -prune -exec rm -rf {} +

# Fuzzers of the C core (clang) and of the readers and the command (atheris), SECONDS_EACH for each of 31; those without their tool are
# skipped. Findings are written to build/fuzz/findings, numbers of executions to build/fuzz/summary.txt.
.PHONY: fuzz fuzz-short
SECONDS_EACH ?= 600
fuzz: .venv-fuzz/installed
	FUZZ_PYTHON=$(CURDIR)/.venv-fuzz/bin/python tests/fuzz/run.sh $(SECONDS_EACH)

# What is installed for the fuzzers of the readers and of the command: the tree, or a wheel.
FUZZED ?= .

# The seeds, and a few seconds of new inputs: some four minutes with the installation.
fuzz-short: SECONDS_EACH = 3
fuzz-short: fuzz

.venv-fuzz/installed: $(SOURCES)
	$(PYTHON) -m venv $(@D)
	rm -rf build/lib* build/bdist* build/temp*
	$(@D)/bin/python $(PIP) $(FUZZED)
	$(@D)/bin/python $(PIP) atheris || echo "atheris is not available here"
	@touch $@
