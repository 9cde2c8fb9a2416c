"""The files of examples/service: the worker runs and survives kill -9; the others are consistent."""

import configparser
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import yaml

import semibandits as sb
from serving import TOKEN, serving

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "service"
WORKER = FOLDER / "worker.py"


def test_a_worker_that_is_killed_goes_on_and_counts_every_order_once(tmp_path):
    url = f"sqlite:///{tmp_path}/learners.db"
    streets = [("home", "a"), ("home", "b"), ("a", "work"), ("b", "work")]
    learner = sb.open_learner(url, name="courier", decision_set=sb.Paths(streets, "home", "work"), variance=4.0, seed=0)
    state, environment = tmp_path / "order", os.environ | {"SEMIBANDITS_TOKEN": TOKEN}
    with serving(url) as address:
        words = [
            sys.executable,
            WORKER,
            "--url",
            address,
            "--name",
            "one",
            "--state",
            state,
            "--orders",
            "30",
            "--pause",
            "0.02",
        ]
        first = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
        while learner.rounds < 5:
            time.sleep(0.01)
        first.send_signal(signal.SIGKILL)
        first.wait()
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        state.write_text("29")  # as if it had been killed before it wrote that the last order is done
        assert subprocess.run(words, env=environment, stderr=subprocess.DEVNULL, timeout=60).returncode == 0
        state.unlink()
        refused = subprocess.run(
            words, env=environment | {"SEMIBANDITS_TOKEN": "wrong"}, capture_output=True, text=True
        )
        assert refused.returncode == 1
        assert refused.stderr.splitlines()[-1].startswith("Error: ")
        assert "wrong" not in refused.stderr
    assert learner.rounds == 30
    assert learner.open_rounds == ()
    assert TOKEN not in done.stderr
    assert re.match(r"INFO worker: round 29: \d streets, [\d.-]+ minutes", done.stderr.splitlines()[-1])
    learner.close()


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


def test_commands_in_the_files_use_options_that_exist():
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str
    unit.read_string((FOLDER / "semibandits.service").read_text(encoding="utf-8"))
    assert set(unit.sections()) == {"Unit", "Service", "Install"}
    assert unit["Service"]["NoNewPrivileges"] == "yes"
    program, environment = Path(sys.executable).with_name("semibandits"), os.environ | {"COLUMNS": "200"}
    serve, learner = (
        subprocess.run([program, word, "--help"], env=environment, capture_output=True, text=True, check=True).stdout
        for word in ("serve", "learner")
    )
    command = shlex.split(unit["Service"]["ExecStart"])

    assert [word for word in command if word.startswith("--") and word not in serve] == []
    text = (FOLDER / "compose.yaml").read_text(encoding="utf-8") + (FOLDER / "README.md").read_text(encoding="utf-8")
    for line in re.findall(r"semibandits learner create.*", text.replace("\\\n", " ")):
        assert [word for word in re.findall(r"--[a-z-]+", line) if word not in learner] == []
