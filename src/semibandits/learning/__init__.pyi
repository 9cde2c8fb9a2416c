from semibandits.learning.learner import Learner as Learner
from semibandits.learning.round import Round as Round
