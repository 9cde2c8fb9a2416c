"""Measured ratings of films: MovieLens 100K, read from the installed package recbole and never bundled."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import numpy as np

from semibandits.errors import SemibanditsError
from semibandits_studies.datasets._measured import measured_dataset
from semibandits_studies.datasets.base import Dataset

OCCUPATIONS, GENRES = 10, 14
SHORTLIST, SHORTLIST_SIZE = 50, 5
MOST_RATED, PER_GENRE = 100, 2
VAGUE: Final = frozenset({"other", "none"})
"""Entries that are not occupations."""

_PROVENANCE: Final = (
    "MovieLens 100K of GroupLens, University of Minnesota: 100,000 ratings of 1,682 films by 943 users, 1997 and 1998 "
    "(Harper and Konstan, The MovieLens Datasets, ACM Transactions on Interactive Intelligent Systems 5, 2015); "
    "read from the Python package recbole 1.2.1"
)
_LICENCE: Final = (
    "For research; commercial use and redistribution only with permission of GroupLens; publications are to cite Harper and "
    "Konstan (2015)"
)
_MEASURED: Final = (
    "Mean rating, from 1 to 5 stars, as measured by MovieLens in 1997 and 1998. The variance is the sample variance of the "
    "ratings of each item."
)


def occupations() -> Dataset:
    """A different genre for each of ten occupations: matchings that saturate the occupations.

    The occupations are those with the most ratings, except "other" and "none"; the genres are the 14 with the most ratings. The
    reward is a rating that a user with that occupation gave to a film of that genre; a film of several genres counts for each of
    them. All 140 pairs have at least 89 ratings.
    """
    films = _MovieLens()
    ratings: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for user, film, rating in films.ratings:
        for genre in films.genres[film]:
            ratings[films.occupation[user], genre].append(rating)
    chosen_occupations = _largest(OCCUPATIONS, ((who, len(r)) for (who, _), r in ratings.items() if who not in VAGUE))
    chosen_genres = _largest(GENRES, ((genre, len(r)) for (_, genre), r in ratings.items()))
    pairs = [(who, genre) for who in chosen_occupations for genre in chosen_genres if len(ratings[who, genre]) > 1]
    return _dataset(
        "occupations-genres",
        f"Which genre of films should be shown to people of each of {OCCUPATIONS} occupations, no two the same, so that "
        "they like what they see?",
        {
            "name": "Films: a genre for each occupation",
            "family": "matchings",
            "saturate": "rows",
            "note": f"{_MEASURED} A film of several genres counts for each of them.",
            "edges": [list(pair) for pair in pairs],
        },
        [ratings[pair] for pair in pairs],
    )


def shortlist() -> Dataset:
    """Five of the fifty films with the most ratings: m-sets.

    Ties in the number of ratings are broken by the number in MovieLens, the smaller first: the fiftieth film is Apollo 13, not
    Amadeus.
    """
    films = _MovieLens()
    chosen = films.most_rated(SHORTLIST)
    return _dataset(
        "films-shortlist",
        f"Which {SHORTLIST_SIZE} of the {SHORTLIST} films with most ratings should be recommended?",
        {
            "name": f"Films: a shortlist of {SHORTLIST_SIZE}",
            "family": "msets",
            "size": SHORTLIST_SIZE,
            "note": _MEASURED,
            "items": [films.titles[film] for film in chosen],
        },
        [films.ratings_of[film] for film in chosen],
        films.features(chosen),
    )


def two_a_genre() -> Dataset:
    """The two best films of each genre among the hundred with the most ratings: a partition matroid.

    A film counts for its rarest genre in the catalogue, the first in alphabetical order if two are equally rare: rare genres are
    the most informative. A genre with only one film always contributes that film.
    """
    films = _MovieLens()
    chosen = films.most_rated(MOST_RATED)
    matroid = {"kind": "partition", "groups": [films.rarest_genre(film) for film in chosen], "capacities": PER_GENRE}
    return _dataset(
        "films-two-a-genre",
        f"Which films, at most {PER_GENRE} of each genre, of the {MOST_RATED} with most ratings should be recommended?",
        {
            "name": f"Films: at most {PER_GENRE} of each genre",
            "family": "matroid",
            "matroid": matroid,
            "note": f"{_MEASURED} A film of several genres counts for the rarest of them.",
            "items": [films.titles[film] for film in chosen],
        },
        [films.ratings_of[film] for film in chosen],
        films.features(chosen),
    )


class _MovieLens:
    """The files of MovieLens 100K in the package. Eighteen films occur twice, and count as two films here too."""

    @cached_property
    def ratings(self) -> list[tuple[str, str, float]]:
        """User, film and rating."""
        rows = _rows("inter", "user_id", "item_id", "rating")
        return [(user, film, float(rating)) for user, film, rating in rows]

    @cached_property
    def ratings_of(self) -> Mapping[str, list[float]]:
        """Ratings of each film."""
        result = defaultdict(list)
        for _, film, rating in self.ratings:
            result[film].append(rating)
        return result

    @cached_property
    def occupation(self) -> Mapping[str, str]:
        """Occupation of each user."""
        return dict(_rows("user", "user_id", "occupation"))

    @cached_property
    def genres(self) -> Mapping[str, list[str]]:
        """Genres of each film in alphabetical order."""
        return {film: sorted(genres.split()) for film, genres in _rows("item", "item_id", "class")}

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """Title and year of each film, as in "The Godfather (1972)"; a remake may have the title of the original."""
        titles = {}
        for film, title, year in _rows("item", "item_id", "movie_title", "release_year"):
            name, _, article = title.rpartition(", ")  # the file has "Godfather, The"
            titles[film] = f"{article} {name} ({year})" if article in ("The", "A", "An") and name else f"{title} ({year})"
        return titles

    def most_rated(self, n: int) -> list[str]:
        """The n films with the most ratings; ties are broken by the number of the film, the smaller first."""
        return sorted(self.ratings_of, key=lambda film: (-len(self.ratings_of[film]), int(film)))[:n]

    def rarest_genre(self, film: str) -> str:
        """The rarest genre of a film, the first in alphabetical order of equally rare ones."""
        return min(self.genres[film], key=self._films_of_genre.__getitem__)

    def features(self, films: Sequence[str]) -> dict[str, list[float]]:
        """The year of each film, and for each genre that some of them have 1 for those that have it and 0 for the others."""
        years = dict(_rows("item", "item_id", "release_year"))
        genres = sorted({genre for film in films for genre in self.genres[film]})
        return {"year": [float(years[film]) for film in films]} | {
            genre: [float(genre in self.genres[film]) for film in films] for genre in genres
        }

    @cached_property
    def _films_of_genre(self) -> Counter[str]:
        return Counter(genre for genres in self.genres.values() for genre in genres)


def _dataset(
    name: str, question: str, description: Mapping[str, object], ratings: Iterable[list[float]],
    features: Mapping[str, Sequence[Any]] | None = None,
) -> Dataset:  # fmt: skip
    outcomes = [np.sort(np.array(log)) for log in ratings]
    rated = {"unit": "stars", **description}
    return measured_dataset(name, question, rated, outcomes, provenance=_PROVENANCE, licence=_LICENCE, features=features)


def _largest(n: int, sizes: Iterable[tuple[str, int]]) -> list[str]:
    """The n names with the largest totals, largest first, equal ones in alphabetical order."""
    totals: Counter[str] = Counter()
    for name, size in sizes:
        totals[name] += size
    return sorted(totals, key=lambda name: (-totals[name], name))[:n]


def _rows(kind: str, *columns: str) -> Iterator[Any]:
    """Columns of one of the files, row by row; the column names in the file include types: ``rating:float``."""
    package = find_spec("recbole")  # located without importing it, which would need PyTorch
    folders = (package and package.submodule_search_locations) or []
    paths = [Path(folder, "dataset_example", "ml-100k", f"ml-100k.{kind}") for folder in folders]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise SemibanditsError(
            "datasets of films need the package recbole 1.2.1, which holds MovieLens 100K, and it is not installed: "
            'run pip install --no-deps "recbole==1.2.1" (only its data files are read; without --no-deps it brings PyTorch)'
        )
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    names = [name.split(":")[0] for name in header]
    return map(itemgetter(*map(names.index, columns)), rows)
