"""Docstrings of public names list their parameters, shapes and returned values; `semibandits.testing` runs their examples."""

import importlib
import inspect
import re
import warnings

import pytest
from numpydoc.docscrape import NumpyDocString

import semibandits as sb
from semibandits.client import RemoteLearner
from semibandits.testing.__main__ import MODULES

MADE_BY_OTHERS = {sb.DurableLearner, RemoteLearner}
"""Classes that users do not construct: by `open_learner` and `Client.learner`."""
NAMES = {
    f"{module}.{name}": value
    for module in MODULES
    for name in importlib.import_module(module).__all__
    if callable(value := getattr(importlib.import_module(module), name)) and value not in MADE_BY_OTHERS
}


@pytest.mark.parametrize("name", NAMES)
def test_parameters_shapes_and_results_are_listed(name):
    value, sections = NAMES[name], sections_of(NAMES[name])
    if inspect.isclass(value) and issubclass(value, Exception):
        return
    signature = inspect.signature(value)
    public = [parameter for parameter in signature.parameters if not parameter.startswith("_")]
    described = {each for section in ("Parameters", "Attributes") for each, _ in sections[section]}
    assert [parameter for parameter in public if parameter not in described] == []
    assert {each for each, _ in sections["Parameters"]} <= set(public)
    if inspect.isfunction(value) and signature.return_annotation != "None":
        assert sections["Returns"]
    arrays = [each for section in sections.values() for each in section if re.search(r"\barray|ndarray", each[1])]
    assert [each for each in arrays if not re.search("shape|scalar", each[1])] == []


def sections_of(value):
    """Pairs of a name and its type in each section of a docstring."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = NumpyDocString(inspect.getdoc(value))
    return {
        section: [(name.strip(), entry.type) for entry in text[section] for name in entry.name.split(",")]
        for section in ("Parameters", "Attributes", "Returns")
    }
