"""Results for people and programs: words, JSON objects, tables, files of figures, and the report."""
