from semibandits.learning.drift import Drift as Drift
from semibandits.learning.intervals import Estimates as Estimates
from semibandits.learning.learner import Learner as Learner
from semibandits.learning.round import Round as Round
from semibandits_server.database.durable import DurableLearner as DurableLearner
from semibandits_server.database.opening import open_learner as open_learner
