"""What users pass: arguments, arrays, frames, labels, graphs, options and outcomes are checked and converted here, once."""
