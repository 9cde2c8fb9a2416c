# Everything happens in a virtual environment in .venv; the system's Python is only used to create it.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUTPUT := demo-output
SUITE := pytest -n 2 --dist worksteal --junitxml=build/tests.xml

# Tests and demo start many processes; with bytecode, imports take three quarters of the time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check verify bench bench-large bench-peers bench-published docs pages screenshots clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.installed-demo ## Route through Germany: the bound, its plan, six policies, and a report, in demo-output/
	@mkdir -p $(OUTPUT) && rm -rf $(OUTPUT)/germany50
	$(BIN)/semibandits bound germany50-routing --plot $(OUTPUT)/plan.png
	$(BIN)/semibandits run examples/germany50.toml --progress

test: $(VENV)/.installed-dev ## Check style, types and imports, and run all tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	@echo "Types are checked while kernels are compiled:"
	$(BIN)/semibandits compile & compiling=$$!; $(BIN)/mypy || { kill $$compiling; exit 1; }; wait $$compiling
	@if sh tools/install_browser.sh; then $(BIN)/$(SUITE); else SEMIBANDITS_NO_BROWSER=1 $(BIN)/$(SUITE); fi

check: $(VENV)/.installed-dev ## The same for every commit: style, types and imports, and the tests of what has changed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check.py

verify: $(VENV)/.installed-dev ## All long checks of a release, many hours; an interrupted run goes on where it was
	$(BIN)/semibandits compile
	$(BIN)/python verification/everything.py

bench: $(VENV)/.installed-bench ## Time the solver against a plain conic solve, and rounds of policies against their parts
	$(BIN)/python benchmarks/run.py

bench-large: $(VENV)/.installed-bench ## The same, and then each family up to a million items, a file of 10,208 arcs, and a road network
	$(BIN)/python benchmarks/run.py --large

bench-peers: $(VENV)/.installed-peers ## Other packages beside this library: bounds by CVXPY, policies of four packages, loops with networkx
	$(BIN)/python benchmarks/peers.py

bench-published: $(VENV)/.installed-dev ## Instances and results of four papers beside this library
	$(BIN)/python benchmarks/published.py

docs: $(VENV)/.installed-docs ## Build the documentation site in build/docs; warnings are errors, and local links are checked
	$(BIN)/python tools/site.py

pages: $(VENV)/.installed-docs ## Run the studies in examples/studies, and write docs/examples and all figures of docs/explanations
	$(BIN)/python tools/pages.py
	$(BIN)/python tools/figures.py
	$(BIN)/python tools/paper.py

screenshots: $(VENV)/.installed-docs ## Take the pictures of the README: reports in a browser, figures, terminals
	@sh tools/install_browser.sh
	$(BIN)/python tools/screenshots.py

clean: ## Remove the environment, caches and everything made
	rm -rf $(VENV) $(OUTPUT) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp a set of extras: installed again only when pyproject.toml has changed. Of BARE packages only data files are read,
# so that they come without what they depend on (PyTorch, for the one that holds MovieLens). Python writes the bytecode of
# what is imported; pip would compile every file of every package, which takes half of the installation.
$(VENV)/.installed-demo: EXTRAS := plot,networks
$(VENV)/.installed-dev: EXTRAS := dev
$(VENV)/.installed-dev: BARE := recbole==1.2.1 aequilibrae==1.7.2
$(VENV)/.installed-bench: EXTRAS := dev,bench
$(VENV)/.installed-bench: BARE := recbole==1.2.1 aequilibrae==1.7.2
$(VENV)/.installed-peers: EXTRAS := dev,peers
$(VENV)/.installed-docs: EXTRAS := dev,docs
$(VENV)/.installed-docs: BARE := recbole==1.2.1 aequilibrae==1.7.2
$(VENV)/.installed-%: pyproject.toml | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[$(EXTRAS)]"
	$(if $(BARE),$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps $(BARE))
	@touch $@

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v or sys.exit("Error: Python 3.11 or newer is needed, got %d.%d: run make with PYTHON=python3.12, say" % v)'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Error: $(PYTHON) cannot create environments: install its venv package (python3-venv on Debian and Ubuntu)" >&2; exit 1; }
