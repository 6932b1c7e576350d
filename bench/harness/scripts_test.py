"""Tests how scripts end where there is nothing to run or to measure. Run: python3 bench/harness/scripts_test.py"""

import os
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import characterise
import machine
import ports
import process
import store


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def run_without(self, *command):
        """Runs it with nothing on the PATH but a shell and what the scripts begin with."""
        for name in ("bash", "dirname", "mkdir", "sed"):
            found = [Path(place) / name for place in ("/usr/bin", "/bin") if (Path(place) / name).exists()]
            (self.folder / name).symlink_to(found[0])
        (self.folder / "python3").symlink_to(sys.executable)
        environment = {**os.environ, "PATH": str(self.folder), "IMAGES_DIRECTORY": str(self.folder / "images")}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_ports_names_the_program_that_is_missing(self):
        self.assertEqual(self.run_without(machine.BENCH / "ports"), (1, "", "bench/ports: curl is missing: it is not on the PATH\n"))

    def test_the_server_ends_where_ports_fails(self):
        program = self.folder / "server"
        program.write_text(f"#!/bin/sh\necho $$ >{self.folder}/pid.new\nmv {self.folder}/pid.new {self.folder}/pid\nexec sleep 60\n")
        program.chmod(0o755)

        def fails(*_):
            while not (self.folder / "pid").exists():
                pass
            raise FileNotFoundError("curl")
        with mock.patch.object(ports.subprocess, "run", fails), self.assertRaises(FileNotFoundError):
            ports.measure(None, program)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)

    def test_a_store_that_cannot_be_built_is_no_success(self):
        results = self.folder / "results"
        with mock.patch.object(store, "commands", lambda _: {}), mock.patch.object(store, "say"), \
                mock.patch.object(sys, "argv", ["store", "blocking", "--output", str(results)]):
            self.assertEqual(store.main(), 1)
        self.assertFalse(results.exists())

    def test_characterise_leaves_no_empty_folder(self):
        setup = types.SimpleNamespace(name="a", title="A", problem=lambda: "not installed")
        results, cores = self.folder / "results", os.sched_getaffinity(0)
        chosen = types.SimpleNamespace(names=["a"], objective="", output=results)
        try:
            with mock.patch.object(characterise.setups, "setups", lambda: [setup]), mock.patch.object(characterise, "arguments", lambda _: chosen):
                self.assertEqual(characterise.main(), 1)
        finally:
            os.sched_setaffinity(0, cores)
        self.assertEqual(list(results.iterdir()), [])

    def test_images_checks_its_arguments_and_programs_first(self):
        images = machine.ROOT / "deploy" / "images"
        status, out, _ = self.run_without(images, "server", "WRONGWORD")
        self.assertEqual((status, out.splitlines()[0]), (2, "Builds the images of this folder without a container engine, starts each in a network of its own, runs its health"))
        self.assertFalse((self.folder / "images").exists())
        for name in ("bash", "dirname", "mkdir", "sed", "python3"):
            (self.folder / name).unlink()
        self.assertEqual(self.run_without(images, "server"), (1, "", "deploy/images: buildah is missing\n"))

    def tearDown(self):
        process.stop_all()


if __name__ == "__main__":
    unittest.main()
