"""Tables, instances, datasets, studies, figures, reports and the command line."""
