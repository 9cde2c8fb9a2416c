from semibandits.plotting.network import plot_network_plan as plot_network_plan
from semibandits.plotting.plan import plot_item_rates as plot_item_rates
from semibandits.plotting.plan import plot_matching_plan as plot_matching_plan
from semibandits.plotting.plan import plot_plan as plot_plan
