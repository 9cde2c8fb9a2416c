from semibandits.simulation.results import SimulationResult as SimulationResult
from semibandits.simulation.results import load_simulation as load_simulation
from semibandits.simulation.run import simulate as simulate
