.PHONY: help try test check bench parts pictures
help: ## Say what there is to do
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

try: ## Complete real code with the real server and the built-in model, and show how it was done
	@.ci/env run bowerbird try

test: check ## Check, then run every test whose parts are here
	@.ci/env dev pytest

check: ## Lint, formatting, types and the direction of imports
	@.ci/env dev ruff check
	@.ci/env dev ruff format --check
	@.ci/env dev mypy
	@.ci/env dev lint-imports --no-logo --no-cache

bench: ## Measure what needs no outside sources
	@.ci/env run bowerbird bench retrieval --windows 10000
	@.ci/env run bowerbird bench index server tests
	@.ci/env run bowerbird bench latency --requests 20

parts: ## As root, on Debian: bring the editors and the server that tests drive
	@.ci/parts

pictures: ## Take the pictures in the README of VS Code's extension anew, by its tests
	@.ci/env dev pytest tests/e2e/vscode --update-pictures -k "tab_takes or hover or search or explain"
