"""Studies and folders of results from elsewhere: what they may write to, and what is read from them."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_cases import ALONE, STUDY, TABLE, names, no_work, run_again, run_text, state

from semibandits.errors import InvalidInputError
from semibandits.formats.files import own_file, read_bytes
from semibandits.formats.toml import MOST_PARTS, strict_toml
from semibandits.studies import Output, read_study
from semibandits_studies.reporting.sources import ABOUT, BOUND, DESCRIPTION, INSTANCE, RESULT, TIMINGS, read_results
from semibandits_studies.reporting.sources import STUDY as KEPT

SECRET = "password = 'hunter2'\n"
READ = (INSTANCE, BOUND, RESULT, KEPT, ABOUT, DESCRIPTION, TIMINGS)


def test_a_figure_goes_with_the_folder(place):
    for name in ("plan.png", "study-results/plan.png", str(place / "study-results" / "plan.png")):
        Path("study.toml").write_text(ALONE + f"[output]\nfigure = '{name}'\n", encoding="utf-8")
        assert read_study("study.toml").output == Output(folder=Path("study-results"), figure="plan.png")
        assert read_study("study.toml").output.figure_path == Path("study-results/plan.png")


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_a_figure_replaces_figures_of_its_own_only(place, monkeypatch, ending):
    text = STUDY + f"[output]\nfolder = '.'\nfigure = 'photo.{ending}'\nreport = false\n"
    Path(f"photo.{ending}").write_bytes(b"precious")
    with monkeypatch.context() as patch:
        no_work(patch)
        with pytest.raises(InvalidInputError, match=rf"got photo.{ending}, which was not drawn by semibandits: choose another"):
            run_text(text)
    assert names(".") == [f"photo.{ending}", "study.toml", "table.csv"]
    assert Path(f"photo.{ending}").read_bytes() == b"precious"
    Path(f"photo.{ending}").unlink()
    run_text(text)
    before = Path(f"photo.{ending}").stat().st_mtime_ns
    run_text(text.replace("replications = 4", "replications = 5"))
    assert Path(f"photo.{ending}").stat().st_mtime_ns > before


def test_files_beside_the_problem_are_kept(place):
    run_text(ALONE)
    Path("instance.json").write_bytes(Path("study-results/instance.json").read_bytes())
    Path("study.toml").unlink()
    Path("report.html").write_text("precious", encoding="utf-8")
    before = state(".")
    with pytest.raises(InvalidInputError, match=r"must be without report.html before a study starts"):
        run_text(ALONE.replace("table.csv", "instance.json").replace("size = 2\n", "") + "[output]\nfolder = '.'\n", "own.toml")
    Path("own.toml").unlink()
    assert state(".") == before


def link(path, secret):
    path.symlink_to(secret)


def pipe(path, _):
    os.mkfifo(path)


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize(("replace", "got"), [(link, "a link that leads outside"), (pipe, "a pipe or device")])
def test_a_folder_of_results_has_files_of_its_own_only(played, tmp_path_factory, name, replace, got):
    """A link could lead to a secret, and a pipe would be waited for."""
    secret = tmp_path_factory.mktemp("elsewhere") / "credentials.toml"
    secret.write_text(SECRET, encoding="utf-8")
    (played / name).unlink()
    replace(played / name, secret)
    for read in (lambda: read_results(played), run_again):
        with pytest.raises(InvalidInputError, match=f"{name} must be a file of its folder, got {got}"):
            read()
    assert secret.read_text(encoding="utf-8") == SECRET


def test_links_within_a_folder_are_followed(played):
    (played / "about.json").rename(played / "about-2.json")
    (played / "about.json").symlink_to("about-2.json")
    Path("link").symlink_to(played)
    assert read_results(Path("link")).structure.labels == read_results(played).structure.labels == ("u", "v", "w", "x")


def test_the_problem_of_a_study_is_no_link_that_leads_outside(place, tmp_path_factory):
    table = tmp_path_factory.mktemp("data") / "table.csv"
    table.write_text(TABLE, encoding="utf-8")
    Path("table.csv").unlink()
    Path("table.csv").symlink_to(table)
    with pytest.raises(InvalidInputError) as error:
        run_text(ALONE)
    assert str(error.value) == (
        "study.toml, [problem]: table.csv must be a file of its folder, got a link that leads outside: copy the file there, or "
        "write the path that the link leads to"
    )
    run_text(ALONE.replace("table.csv", str(table)))  # which a reader of the study sees


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()])
def test_files_without_end_are_refused(tmp_path, make):
    make(tmp_path / "a")
    with pytest.raises(InvalidInputError, match=r"a must be a readable file, got a folder, pipe or device: check the path"):
        read_bytes(tmp_path / "a")


def test_sparse_files_take_no_memory(tmp_path):
    with open(tmp_path / "a", "wb") as file:
        file.truncate(2**40)
    with pytest.raises(InvalidInputError, match="a must have at most 268,435,456 bytes, got more: pass another file"):
        read_bytes(tmp_path / "a")
    assert read_bytes(own_file(Path(__file__))) == Path(__file__).read_bytes()
    with pytest.raises(InvalidInputError, match="must have at most 10 bytes"):
        read_bytes(__file__, most=10)


PARTS = {"bare": "a", "quoted": '"a"', "literal": "'a'", "empty": '""', "escaped": '"\\""'}
PLACES = {
    "key": "{} = 1", "header": "[{}]", "tables": "[[{}]]", "inline": "x = {{ {} = 1 }}",
    "after quotes": 'x = {{ a = """b"""", {} = 1 }}', "after literals": "x = {{ a = '''b'''', {} = 1 }}",
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("dot", [".", " . ", "\t.\t"])
def test_long_keys_are_refused(place, part, where, dot):
    with pytest.raises(InvalidInputError, match=r"study.toml must be TOML, got a key of more than 50 parts; correct it there"):
        run_text(PLACES[where].format(dot.join([PARTS[part]] * 20_000)))


def test_dots_in_texts_and_comments_are_no_keys():
    dots = ".".join(["a"] * 100)
    most = ".".join(["a"] * MOST_PARTS)
    text = f'x = "{dots}" # {dots}\ny = """\n{dots}"""\nz = \'{dots}\'\nlist = [{"1.5, " * 100}]\n{most} = 1\n'
    assert strict_toml(text)["x"] == dots
    with pytest.raises(ValueError, match="1,048,577 characters, which are more than 1,048,576"):
        strict_toml("#" * (2**20 + 1))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(['"""', "'''", '"', "'", "\\", "\n", "#", "a", ".", " = ", "1", "[", "]", ",", "{", "}"]), max_size=20
    )
)
def test_no_text_hides_a_long_key(pieces):
    """Whatever stands before it: what Python's reader finds as a key of more than 50 parts is refused."""
    text = "".join(pieces) + ".".join(["b"] * (MOST_PARTS + 1)) + " = 1"

    def deepest(value):
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return max((deepest(each) for each in inner), default=-1) + 1

    try:
        content = strict_toml(text)
    except ValueError:
        return
    assert deepest(content) <= MOST_PARTS
