# make run and make test are all the set-up there is.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test lint bench train clean .venv

run: $(VENV)/run.stamp
	$(BIN)/streamlit run app.py

test: $(VENV)/dev.stamp
	$(BIN)/python tests/browser/install.py
	$(BIN)/python -m pytest

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: $(VENV)/dev.stamp
	$(BIN)/python -m specviz bench --pair poem
	$(BIN)/python tests/browser/install.py
	$(BIN)/python -m tests.browser.figures

train: $(VENV)/dev.stamp
	$(BIN)/python -m specviz.training poem
	$(BIN)/python -m specviz.training english
	$(BIN)/python -m specviz.training.examples

.venv: $(VENV)/run.stamp

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	$(BIN)/python -c "import specviz.compiled"
	touch $@

$(VENV)/dev.stamp: requirements.txt requirements-dev.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --requirement requirements-dev.txt
	touch $@ $(VENV)/run.stamp

clean:
	rm -rf $(VENV) build
