PAGE ?= examples/article.html
PYTHON ?= python3
# Two more processes than there are processors: many tests wait for a browser, a server or a disk.
WORKERS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 2)")
SOURCES := pyproject.toml setup.py $(foreach type,pyx pxd pxi h py,$(wildcard src/bodytext/kernel/*.$(type)))
PIP := .venv/bin/python -m pip --disable-pip-version-check
# The versions that the tests were run with, so that no new one of a package can break them.
INSTALL := $(PIP) install --quiet --constraint constraints.txt
TESTED := --group test --editable ".[corpus,reader]"
# Compiled modules are kept, whatever the shell says: the tests start hundreds of processes.
PYTEST := PYTHONDONTWRITEBYTECODE= .venv/bin/python -m pytest --numprocesses $(WORKERS) --dist worksteal

# A compiler and the headers of Python, or nothing. CC names another compiler than cc.
INCLUDES = $(shell $(PYTHON) -c "import sysconfig; print('-I' + sysconfig.get_path('include'))")
COMPILER = $(shell echo '\#include <Python.h>' | $(CC) -E $(INCLUDES) - >/dev/null 2>&1 && echo $(CC))
PURE = $(if $(COMPILER),,BODYTEXT_PURE=1)
NO_COMPILER := There is no C compiler here with the headers of Python (on Debian: gcc and python3-dev). \
	This builds the version in plain Python: the same results, some ninety times slower.

.PHONY: run test test-all quick check docs browsers clean help

run: .venv/ready  ## extract a page and print its text: make run PAGE=page.html
	@.venv/bin/bodytext "$(PAGE)"

test: .venv/tested browsers  ## run the tests, also those in a browser: some minutes
	@echo "running the tests; what needs a package that is not here is skipped (make test-all has them all)"
	$(PYTEST)

quick: .venv/tested  ## run the tests that need neither a browser nor training, nor long: a minute
	$(PYTEST) --ignore=tests/browser -m "not slow"

check: .venv/tested .venv/checked  ## check style and types
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

docs: .venv/documented  ## build the site of the documentation in site/
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet
	@echo "the site is in site/: open site/index.html"

test-all: .venv/tested-all browsers check  ## run all checks and tests, also with torch, Ray, Spark, datasets and Scrapy
	BODYTEXT_FUZZ_SECONDS=4 BODYTEXT_EXAMPLES=random $(PYTEST) -rs

.venv/made:
	@echo "making .venv"
	@$(PYTHON) -m venv .venv
	@$(PIP) install --quiet "pip>=25.1"  # that of Debian 12 knows no groups
	@touch $@

.venv/ready: .venv/made $(SOURCES)
	@$(if $(PURE),echo "$(NO_COMPILER)",:)
	@echo "installing what bodytext needs"
	@$(INSTALL) --group build numpy
	@echo "building bodytext: about a minute"
	@# pip shows either nothing or all that a build says: this shows the names alone, and all if it fails.
	@rm -f .venv/failed; \
	( $(PURE) $(PIP) install --verbose --no-build-isolation --no-deps --editable . 2>&1 || touch .venv/failed ) \
		| tee .venv/build.log | sed -n "s/^ *building '\(bodytext[^']*\)' extension.*/  compiling \1/p"; \
	if [ -e .venv/failed ]; then cat .venv/build.log; exit 1; fi
	@touch $@

.venv/tested: .venv/ready constraints.txt
	@echo "installing what the tests need: about a minute"
	@$(PURE) $(INSTALL) --no-build-isolation $(TESTED)
	@touch $@

.venv/checked: .venv/tested
	@echo "installing what checks style and types"
	@$(INSTALL) --group lint
	@touch $@

.venv/documented: .venv/made
	@echo "installing what builds the site"
	@$(INSTALL) --group docs
	@touch $@

.venv/tested-all: .venv/tested
	@echo "installing torch, Ray, Spark and others, which are large: some minutes"
	@$(INSTALL) --group test-all
	@touch $@

# What the browser tests drive: the system's own. Root on Debian gets what is missing here.
CHROMIUM := $(BODYTEXT_CHROMIUM) chromium chromium-browser google-chrome google-chrome-stable chrome
FIREFOX := $(BODYTEXT_FIREFOX) firefox-esr firefox
NO_BROWSER := so its tests will be skipped. Install it, or name its program in

browsers:
	@missing=; has() { for name in "$$@"; do command -v "$$name" >/dev/null && return; done; false; }; \
	has $(CHROMIUM) || [ -e "/Applications/Google Chrome.app" ] || missing="chromium fonts-dejavu-core libatomic1"; \
	has $(FIREFOX) || missing="$$missing firefox-esr"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing $$missing, which the tests in a browser drive"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			$$missing >/dev/null && missing=; \
	fi; \
	case "$$missing" in *chromium*) echo "no Chromium or Chrome here, $(NO_BROWSER) BODYTEXT_CHROMIUM.";; esac; \
	case "$$missing" in *firefox*) echo "no Firefox here, $(NO_BROWSER) BODYTEXT_FIREFOX.";; esac

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile

clean:
	rm -rf .venv build site src/*.egg-info src/bodytext/kernel/*.so src/bodytext/kernel/*.c src/bodytext/kernel/constants.h \
		src/bodytext/kernel/constants.pxi
