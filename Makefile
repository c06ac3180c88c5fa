PAGE ?= examples/article.html
SOURCES := pyproject.toml setup.py src/bodytext/kernel/layers.h $(wildcard src/bodytext/kernel/*.pyx src/bodytext/kernel/*.py)

.PHONY: run test check chromium clean

run: .venv/ready  ## extract a page and print its text: make run PAGE=page.html
	@.venv/bin/bodytext "$(PAGE)"

test: .venv/tested check chromium  ## run every check and test
	.venv/bin/python -m pytest

check: .venv/tested
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

.venv/ready: $(SOURCES)
	python3 -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	touch .venv/ready

.venv/tested: .venv/ready
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test,train,corpus,ray,web,reader]"
	touch .venv/tested

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
