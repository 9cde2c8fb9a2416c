"""The files of examples/service: the worker runs and survives kill -9; the others are consistent."""

import configparser
import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import semibandits as sb
from semibandits.client import Client
from semibandits_studies.cli import main
from serving import TOKEN, serving

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "service"
WORKER = FOLDER / "worker.py"


def test_a_worker_that_is_killed_goes_on_and_counts_every_order_once(tmp_path):
    url, state, log = f"sqlite:///{tmp_path}/learners.db", tmp_path / "order", tmp_path / "worker.log"
    learner = courier(url)

    def worker(token=TOKEN):
        words = [sys.executable, WORKER, "--url", address, "--name", "one", "--state", state, "--orders", "30"]
        environment = os.environ | {"SEMIBANDITS_TOKEN": token}
        with log.open("a") as lines:
            return subprocess.Popen([*words, "--pause", "0.02"], env=environment, stderr=lines)

    with serving(url) as address:
        first = worker()
        while learner.rounds < 5:
            time.sleep(0.01)
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert worker().wait(timeout=60) == 0, log.read_text()
        state.write_text("29")  # as if it had been killed before it wrote that the last order is done
        assert worker().wait(timeout=60) == 0, log.read_text()
        state.unlink()
        lines = log.read_text().splitlines()
        assert worker("wrong").wait(timeout=60) == 1
        refused = log.read_text().splitlines()[len(lines) :]
    assert refused[-1].startswith("Error: ")
    assert "wrong" not in refused[-1]
    assert [line for line in lines if not re.match(r"INFO worker: round \d+: \d streets, [\d.-]+ minutes", line)] == []
    assert TOKEN not in log.read_text()
    assert learner.rounds == 30, log.read_text()
    assert learner.open_rounds == (), log.read_text()
    learner.close()


def test_a_worker_closes_rounds_in_which_nothing_was_measured_or_whose_outcome_is_refused(tmp_path, monkeypatch, caplog):
    url = f"sqlite:///{tmp_path}/learners.db"
    learner, worker = courier(url), runpy.run_path(str(WORKER))
    carry_out = worker["carry_out"]
    with serving(url) as address, Client(address, TOKEN) as client:
        for order, minutes in enumerate([{}, {("home", "elsewhere"): 3.0}]):
            monkeypatch.setitem(carry_out.__globals__, "drive", lambda asked, order, minutes=minutes: minutes)
            with caplog.at_level("INFO"):
                carry_out(client.learner("courier"), f"order {order}")
    assert learner.rounds == 2
    assert learner.open_rounds == ()
    assert [record.message.partition(":")[0] for record in caplog.records if record.name == "worker"] == [
        "round 0",
        "the outcome of round 1 is not accepted",
    ]
    learner.close()


def courier(url):
    """A learner of routes in a new database."""
    streets = [("home", "a"), ("home", "b"), ("a", "work"), ("b", "work")]
    return sb.open_learner(url, name="courier", decision_set=sb.Paths(streets, "home", "work"), variance=4.0, seed=0)


def test_the_compose_file_fits_its_image_and_holds_no_secret():
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    services, docker = compose["services"], (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    assert set(services) == {"database", "create", "service", "worker"}
    volumes = {volume.partition(":")[0] for one in services.values() for volume in one["volumes"]}
    assert volumes == set(compose["volumes"])
    for one in services.values():
        for name in one.get("depends_on", {}):
            assert name in services
    for name in ("create", "service", "worker"):
        one = services[name]
        assert one["read_only"] is True
        assert one["cap_drop"] == ["ALL"]
        for volume in one["volumes"]:
            assert volume.partition(":")[2] in docker
    text = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"(?:PASSWORD|TOKEN): \"?(.)", text)) == {"$"}
    assert services["service"]["ports"] == ["127.0.0.1:8000:8000"]
    for source in re.findall(r"^COPY (.+) \S+$", docker, flags=re.MULTILINE):
        assert all((ROOT / part).exists() for part in source.split())
    assert docker.index("USER semibandits") < docker.index("CMD")


def test_commands_in_the_files_use_options_that_exist(capsys, monkeypatch):
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str
    unit.read_string((FOLDER / "semibandits.service").read_text(encoding="utf-8"))
    assert set(unit.sections()) == {"Unit", "Service", "Install"}
    assert unit["Service"]["NoNewPrivileges"] == "yes"
    monkeypatch.setenv("COLUMNS", "200")
    helps = []
    for word in ("serve", "learner"):
        with pytest.raises(SystemExit):
            main([word, "--help"])
        helps.append(capsys.readouterr().out)
    serve, learner = helps
    command = shlex.split(unit["Service"]["ExecStart"])
    assert [word for word in command if word.startswith("--") and word not in serve] == []
    text = (FOLDER / "compose.yaml").read_text(encoding="utf-8") + (FOLDER / "README.md").read_text(encoding="utf-8")
    for line in re.findall(r"semibandits learner create.*", text.replace("\\\n", " ")):
        assert [word for word in re.findall(r"--[a-z-]+", line) if word not in learner] == []
