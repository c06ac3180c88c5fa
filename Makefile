PAGE ?= examples/article.html

.venv/ready: pyproject.toml setup.py src/bodytext/_kernel/scan.pyx
	python3 -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch .venv/ready

.PHONY: run test check benchmark clean

run: .venv/ready  ## extract a page and print its text: make run PAGE=page.html
	@.venv/bin/bodytext $(PAGE)

test: .venv/ready check  ## run every check and test
	.venv/bin/python -m pytest

check: .venv/ready
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

clean:
	rm -rf .venv build src/*.egg-info src/bodytext/_kernel/*.so src/bodytext/_kernel/scan.c
