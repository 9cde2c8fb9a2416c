"""Laws of rewards: reward distribution families, with the information that tells one mean from a larger one."""

from semibandits.laws.base import Law
from semibandits.laws.bernoulli import Bernoulli
from semibandits.laws.gamma import Gamma
from semibandits.laws.gaussian import Gaussian
from semibandits.laws.mixed import Mixed
from semibandits.laws.plain import law_from
from semibandits.laws.poisson import Poisson

__all__ = ["Bernoulli", "Gamma", "Gaussian", "Law", "Mixed", "Poisson", "law_from"]
