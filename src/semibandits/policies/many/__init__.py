"""Agents for very many items: a round looks at those items only that can matter in it."""
