PAGE ?= examples/article.html
SOURCES := pyproject.toml setup.py $(wildcard src/bodytext/_kernel/*.pyx)

.PHONY: run test check clean

run: .venv/ready  ## extract a page and print its text: make run PAGE=page.html
	@.venv/bin/bodytext "$(PAGE)"

test: .venv/tested check  ## run every check and test
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
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test,train,corpus,ray]"
	touch .venv/tested

clean:
	rm -rf .venv build src/*.egg-info src/bodytext/_kernel/*.so src/bodytext/_kernel/*.c
