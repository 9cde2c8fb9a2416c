"""What several families of decisions are compared with."""

import numpy as np


def forgiven(decisions, budgets):
    """By how much a decision may miss its budget."""
    return 1e-12 * decisions.m * np.abs(budgets).max()


def as_rows(decisions, d):
    """A row for each set of items."""
    return np.array([[item in decision for item in range(d)] for decision in decisions])


def costs_of_potentials(graph, theta):
    """The costs of an exchange graph by their definition; item -1 weighs nothing."""
    padded, pi = np.append(theta, 0.0), graph.potentials
    return padded[graph.leaving] - padded[graph.entering] + pi[graph.tails] - pi[graph.heads]
