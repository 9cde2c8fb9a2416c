"""Bounds from lists of decisions and from routes: one loop of rows and columns, and the conic master of sets of users."""
