from semibandits.identification.evidence import Stop as Stop
from semibandits.identification.result import IdentificationTime as IdentificationTime
from semibandits.identification.result import SamplingPlan as SamplingPlan
from semibandits.identification.solve import identification_time as identification_time
