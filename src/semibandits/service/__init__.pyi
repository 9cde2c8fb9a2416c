from semibandits.service.app import create_app as create_app
from semibandits.service.settings import Settings as Settings
