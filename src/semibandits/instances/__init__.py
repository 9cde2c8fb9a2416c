"""Instances: a decision set with mean rewards and variances, and the files that hold them."""

from semibandits.instances.base import Instance
from semibandits.instances.csv_files import ProblemOptions, read_csv
from semibandits.instances.families import FAMILIES, MATROID_KINDS
from semibandits.instances.json_files import instance_from_description, read_json, write_json

__all__ = [
    "FAMILIES",
    "MATROID_KINDS",
    "Instance",
    "ProblemOptions",
    "instance_from_description",
    "read_csv",
    "read_json",
    "write_json",
]
