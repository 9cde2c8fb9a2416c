"""The text of the page: escaping, and content without scripts."""

import json
import re
from html.parser import HTMLParser
from importlib import resources

import pytest
import samples
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits_server import web
from semibandits_server.service import page as live
from semibandits_server.service.pages import POLICY
from semibandits_studies.reporting import page as report
from semibandits_studies.reporting.page import data_text, render

KINDS = ["germany", "tree", "matching", "shortlist", "bound_only", "one_replication", "only_nulls", "large"]


class Reader(HTMLParser):
    """Elements with their attributes, and the text outside scripts and styles."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.elements, self.words, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.words.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    return reader


@pytest.mark.parametrize("kind", KINDS)
def test_the_data_comes_through_unchanged_and_equal_payloads_give_equal_pages(kind):
    payload = getattr(samples, kind)()
    html = render(payload)
    assert samples.data_in(html) == payload
    assert render(json.loads(json.dumps(payload))) == html
    assert len(html.encode()) < 400_000


def test_words_stand_in_the_page_without_scripts():
    payload = samples.germany()
    words = " ".join(" ".join(read(render(payload)).words).replace("\xa0", " ").split())
    for answer in payload["answers"]:
        for part in ("label", "headline", "text"):
            assert " ".join(answer[part].split()) in words
    for part in ("title", "subtitle", "note"):
        assert payload[part] in words
    assert payload["bound"]["text"] in words
    for row in payload["tables"]["again"]:
        assert " ".join(row["code"].split()) in words


@pytest.mark.parametrize("sample", [samples.germany, samples.matching], ids=lambda sample: sample.__name__)
def test_hard_names_add_no_element_and_no_attribute(sample):
    plain, hard = sample(), samples.hard_names(sample())
    plain |= {"note": "a", "tables": {"provenance": [{"label": "a", "text": "b"}], "again": [{"label": "a", "code": "b"}]}}

    def structure(payload):
        return [(tag, sorted(attributes)) for tag, attributes in read(render(payload)).elements]

    assert structure(hard) == structure(plain)
    render(hard).encode()  # halves of characters would not go into a file


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=20), lambda kids: st.lists(kids, max_size=3)
                    | st.dictionaries(st.text(max_size=5), kids, max_size=3), max_leaves=8))  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_json_in_the_page_is_unchanged_and_cannot_end_its_element(value):
    text = data_text({"value": value})
    assert json.loads(text) == {"value": value}
    assert not re.search("[<\u2028\u2029]", text)
    text.encode()


@pytest.mark.parametrize(("module", "styles"), [(report, "."), (live, "."), (web, "styles")])
def test_every_script_and_style_of_a_folder_is_used(module, styles):
    folder = resources.files(module)
    assert {file.name for file in folder.joinpath("scripts").iterdir()} == set(module.SCRIPTS)
    assert {file.name for file in folder.joinpath(styles).iterdir() if file.name.endswith(".css")} == set(module.STYLES)


def test_no_script_or_style_can_end_its_element_make_markup_of_data_or_lead_elsewhere():
    files = live.page_files()
    own = [files[name].decode() for name in ("live.js", "live.css", "index.html")]
    for text in (*report._assets(), *own):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert not any("</" in text for text in report._assets())
    assert not any(re.search("style=|onclick=", text) for text in own)
    assert "unsafe" not in POLICY
