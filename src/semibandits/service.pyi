from semibandits_server.service.app import create_app as create_app
from semibandits_server.service.settings import Settings as Settings
