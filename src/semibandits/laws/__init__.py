"""Laws of rewards: what it takes in information for an item of one mean to look like one of a larger mean."""

from semibandits.laws.base import Law
from semibandits.laws.bernoulli import Bernoulli
from semibandits.laws.gamma import Gamma
from semibandits.laws.gaussian import Gaussian
from semibandits.laws.mixed import Mixed
from semibandits.laws.plain import law_from
from semibandits.laws.poisson import Poisson

__all__ = ["Bernoulli", "Gamma", "Gaussian", "Law", "Mixed", "Poisson", "law_from"]
