"""Films: rules checked by hand on a tiny package, and MovieLens 100K against counts line by line."""

import importlib.metadata
import math
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from built import built

from semibandits.errors import SemibanditsError
from semibandits_studies.datasets import films

OCCUPATIONS = (
    "student", "educator", "engineer", "programmer", "administrator",
    "writer", "librarian", "technician", "executive", "healthcare",
)  # fmt: skip


@pytest.fixture(scope="module")
def raw():
    """Lines of the three files of the installed package, split by hand."""
    package = importlib.metadata.distribution("recbole")

    def lines(kind):
        path = Path(str(package.locate_file(f"recbole/dataset_example/ml-100k/ml-100k.{kind}")))
        return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]

    return {kind: lines(kind) for kind in ("inter", "item", "user")}


def exact_mean(values):
    return float(Fraction(sum(values), len(values)))


def test_ratings_are_those_of_movielens(raw):
    assert (len(raw["inter"]), len(raw["item"]), len(raw["user"])) == (100_000, 1_682, 943)


@pytest.mark.parametrize(("name", "n", "m"), [("films-shortlist", 50, 5), ("films-two-a-genre", 100, 32)])
def test_films_are_the_most_rated(name, n, m, raw):
    ratings = defaultdict(list)
    for _, film, rating, _ in raw["inter"]:
        ratings[film].append(int(rating))
    title = {film: f"{name} ({year})" for film, name, year, _ in raw["item"]}
    chosen = sorted(ratings, key=lambda film: len(ratings[film]), reverse=True)[:n]
    dataset = built(name)
    assert (dataset.decision_set.d, dataset.decision_set.m) == (n, m)
    by_label = {title[film]: ratings[film] for film in ratings}
    for label, mean, log in zip(dataset.labels, dataset.theta, dataset.outcomes, strict=True):
        words, year = label[:-7], label[-7:]
        found = [key for key in (label, *(f"{words.removeprefix(a + ' ')}, {a}{year}" for a in ("The", "A"))) if key in by_label]
        observed = by_label[found[0]]
        assert len(observed) >= len(ratings[chosen[-1]])
        assert mean == exact_mean(observed)
        assert Counter(log.tolist()) == Counter(observed)


def test_of_two_films_with_276_ratings_the_first_number_is_shortlisted(raw):
    number = {name: int(film) for film, name, *_ in raw["item"]}
    counts = Counter(int(film) for _, film, *_ in raw["inter"])
    assert counts[number["Apollo 13"]] == counts[number["Amadeus"]] == 276
    assert number["Apollo 13"] < number["Amadeus"]
    assert built("films-shortlist").labels[-1] == "Apollo 13 (1995)"
    assert "Amadeus (1984)" not in built("films-shortlist").labels


def test_every_pair_of_an_occupation_and_a_genre_is_rated(raw):
    occupation = {user: who for user, _, _, who, _ in raw["user"]}
    genres = {film: kinds.split() for film, _, _, kinds in raw["item"]}
    ratings = defaultdict(list)
    for user, film, rating, _ in raw["inter"]:
        for genre in genres[film]:
            ratings[occupation[user], genre].append(int(rating))
    dataset = built("occupations-genres")
    pairs = dataset.decision_set.items
    assert (dataset.decision_set.d, dataset.decision_set.m) == (140, 10)
    assert dataset.decision_set.count() == math.perm(14, 10)
    assert tuple(dict.fromkeys(who for who, _ in pairs)) == OCCUPATIONS
    assert not {"other", "none"} & set(OCCUPATIONS)
    assert len({genre for _, genre in pairs}) == 14
    assert min(len(ratings[pair]) for pair in pairs) == 89
    assert dataset.theta.tolist() == [exact_mean(ratings[pair]) for pair in pairs]
    assert dataset.variance.tolist() == pytest.approx([np.var(ratings[pair], ddof=1) for pair in pairs])


def test_at_most_two_of_each_rarest_genre(raw):
    films_of = Counter(genre for *_, kinds in raw["item"] for genre in kinds.split())
    kinds_of = {f"{name} ({year})": kinds.split() for _, name, year, kinds in raw["item"]}
    dataset = built("films-two-a-genre")
    groups = dict(zip(dataset.labels, dataset.instance.description["matroid"]["groups"], strict=True))
    assert groups["Star Wars (1977)"] == "War"
    assert groups["The Godfather (1972)"] == "Crime"
    for label in set(groups) & set(kinds_of):
        assert films_of[groups[label]] == min(films_of[genre] for genre in kinds_of[label])
    sizes = Counter(groups.values())
    assert dataset.decision_set.m == sum(min(2, n) for n in sizes.values())
    best = [dataset.labels[i] for i in np.flatnonzero(dataset.decision_set.maximize(dataset.theta))]
    for genre in sizes:
        of_genre = sorted((-t, label) for label, t in zip(dataset.labels, dataset.theta, strict=True) if groups[label] == genre)
        assert {label for _, label in of_genre[:2]} == {label for label in best if groups[label] == genre}


# Genres by number of films: Drama 3, Comedy 2, Action 2, War 1.
FILMS = (
    "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n"
    '3\t"Quoted" Film, The\t1995\tDrama War\n'
    "10\tPlain\t1996\tComedy Drama Action\n"
    "2\tMisérables, Les\t1995\tDrama\n"
    "7\tBronx Tale, A\t1993\tAction Comedy\n"
)
USERS = (
    "user_id:token\tage:token\tgender:token\toccupation:token\tzip_code:token\n"
    "1\t24\tM\twriter\t85711\n"
    "2\t53\tF\tother\t94043\n"
    "3\t23\tM\tlawyer\t32067\n"
)
RATINGS = {  # film: (user, rating)
    3: [(1, 5), (1, 4), (2, 1), (3, 2), (3, 4), (3, 5)],
    10: [(1, 3), (1, 2), (2, 5), (3, 1)],
    2: [(1, 4), (1, 1), (3, 3), (3, 2)],
    7: [(1, 5), (3, 5), (3, 1)],
}


def write_package(folder, ratings=RATINGS):
    """A package in the layout of recbole. An import of it fails: its files are read without one."""
    data = folder / "recbole" / "dataset_example" / "ml-100k"
    data.mkdir(parents=True)
    (folder / "recbole" / "__init__.py").write_text("raise ImportError('this needs PyTorch')\n", encoding="utf-8")
    (data / "ml-100k.item").write_text(FILMS, encoding="utf-8")
    (data / "ml-100k.user").write_text(USERS, encoding="utf-8")
    rows = [f"{user}\t{film}\t{rating}\t881250949\n" for film, given in ratings.items() for user, rating in given]
    header = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    (data / "ml-100k.inter").write_text(header + "".join(rows), encoding="utf-8")


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """The tiny package in front of the real one."""
    write_package(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("tiny")
def test_most_rated_films_come_first_and_are_named_for_people(monkeypatch):
    monkeypatch.setattr(films, "SHORTLIST_SIZE", 2)
    dataset = films.shortlist()
    assert dataset.labels == ('The "Quoted" Film (1995)', "Misérables, Les (1995)", "Plain (1996)", "A Bronx Tale (1993)")
    assert dataset.theta.tolist() == [3.5, 2.5, 2.75, 11 / 3]
    assert dataset.variance.tolist() == pytest.approx([2.7, 5 / 3, 35 / 12, 16 / 3])
    assert dataset.outcomes[0].tolist() == [1, 2, 4, 4, 5, 5]
    monkeypatch.setattr(films, "SHORTLIST", 3)
    assert films.shortlist().labels == dataset.labels[:3]


@pytest.mark.usefixtures("tiny")
def test_a_film_counts_for_its_rarest_genre():
    dataset = films.two_a_genre()
    assert dataset.instance.description["matroid"]["groups"] == ["War", "Drama", "Action", "Action"]
    assert dataset.decision_set.m == 4


@pytest.mark.usefixtures("tiny")
def test_a_rating_counts_for_all_genres_of_its_film(monkeypatch):
    monkeypatch.setattr(films, "OCCUPATIONS", 1)
    dataset = films.occupations()
    assert dataset.labels == ("lawyer – Drama", "lawyer – Action", "lawyer – Comedy", "lawyer – War")
    assert dataset.outcomes[0].tolist() == [1, 2, 2, 3, 4, 5]
    assert dataset.theta.tolist() == pytest.approx([17 / 6, 7 / 3, 7 / 3, 11 / 3])
    monkeypatch.setattr(films, "OCCUPATIONS", 10)
    monkeypatch.setattr(films, "GENRES", 3)
    assert {who for who, _ in films.occupations().decision_set.items} == {"lawyer", "writer"}
    assert {genre for _, genre in films.occupations().decision_set.items} == {"Drama", "Action", "Comedy"}


@pytest.mark.usefixtures("tiny")
def test_a_pair_with_a_single_rating_has_no_variance_and_is_left_out(tmp_path, monkeypatch):
    write_package(tmp_path / "less", {**RATINGS, 3: [*RATINGS[3][:3], (3, 2)]})
    monkeypatch.syspath_prepend(tmp_path / "less")
    assert ("lawyer", "War") not in films.occupations().decision_set.items
    assert ("writer", "War") in films.occupations().decision_set.items


def test_a_package_without_the_data_is_as_good_as_none(tmp_path, monkeypatch):
    (tmp_path / "recbole").mkdir()
    (tmp_path / "recbole" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        SemibanditsError, match=r"the package recbole 1\.2\.1, which holds MovieLens 100K, .* \(only its data files are read"
    ):
        films.shortlist()
