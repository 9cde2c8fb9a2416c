"""Instances: a decision set with mean rewards and variances, and their files."""
