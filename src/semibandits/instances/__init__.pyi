from semibandits.families.matroid_kinds import MATROID_KINDS as MATROID_KINDS
from semibandits.families.registry import FAMILIES as FAMILIES
from semibandits.families.tables import ProblemOptions as ProblemOptions
from semibandits.instances.base import Instance as Instance
from semibandits.instances.csv_files import read_csv as read_csv
from semibandits.instances.json_files import instance_from_description as instance_from_description
from semibandits.instances.json_files import read_json as read_json
from semibandits.instances.json_files import write_json as write_json
