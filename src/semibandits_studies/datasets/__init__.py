"""Real instances with their provenance; their numbers are measured or modelled."""
