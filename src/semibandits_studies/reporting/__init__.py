"""Output of results: texts, JSON objects, tables, figure files and the report."""
