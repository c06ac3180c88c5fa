PAGE ?= examples/article.html
PYTHON ?= python3
# Tests run in as many processes as there are processors.
WORKERS ?= auto
SOURCES := pyproject.toml setup.py src/bodytext/kernel/layers.h $(wildcard src/bodytext/kernel/*.pyx src/bodytext/kernel/*.py)
PIP := .venv/bin/python -m pip --disable-pip-version-check
# Without a compiler the package is pure Python. CC names another compiler.
COMPILER := $(shell command -v $(CC) || command -v gcc || command -v clang)
PURE := $(if $(COMPILER),,BODYTEXT_PURE=1)

.PHONY: run test quick check chromium clean

run: .venv/ready  ## extract a page and print its text: make run PAGE=page.html
	@.venv/bin/bodytext "$(PAGE)"

test: .venv/tested check chromium  ## run every check and every test
	.venv/bin/python -m pytest -n $(WORKERS)

quick: .venv/tested  ## run the tests that need neither a browser nor training, and no longer than a minute
	.venv/bin/python -m pytest -n $(WORKERS) --ignore=tests/browser -m "not slow"

check: .venv/tested
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

.venv/ready: $(SOURCES)
	@echo "making .venv and building bodytext: about a minute"
	@$(if $(PURE),echo "There is no C compiler here. This builds the version in plain Python: some ninety times slower.")
	$(PYTHON) -m venv .venv
	$(PURE) $(PIP) install --quiet --editable .
	@touch .venv/ready

.venv/tested: .venv/ready
	@echo "installing what the tests need (torch is large): some minutes"
	$(PURE) $(PIP) install --quiet --editable ".[test,train,corpus,ray,web,reader]"
	@touch .venv/tested

CHROMIUM := $(BODYTEXT_CHROMIUM) chromium chromium-browser google-chrome google-chrome-stable chrome
NO_CHROMIUM := no Chromium here, so the tests in a browser will be skipped. Install Chromium or Chrome, or name its \
	program in BODYTEXT_CHROMIUM.

chromium:  ## what the browser tests drive: the system's own, which root on Debian gets here
	@if for name in $(CHROMIUM); do command -v "$$name" >/dev/null && exit 0; done; \
		[ -e "/Applications/Google Chrome.app" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing chromium, which the browser tests drive"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			chromium fonts-dejavu-core >/dev/null && exit 0; \
	fi; \
	echo "$(NO_CHROMIUM)"

clean:
	rm -rf .venv build src/*.egg-info src/bodytext/kernel/*.so src/bodytext/kernel/*.c src/bodytext/kernel/constants.h \
		src/bodytext/kernel/constants.pxi
