"""The Graves-Lai problem over an explicit list of decisions: by cones for Gaussian rewards, by cuts for every law."""
