"""Tests how scripts end where there is nothing to run or to measure. Run: python3 bench/harness/scripts_test.py"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import characterise
import criteria
import machine
import ports
import process
import programs
import store


def document(alone=(1, 2), rate=(3, 4), capacity=(3, 4), tail=(5, 6, 7), over=(8, 0)):
    """The JSON of needletail-load characterise, as far as the table uses it, with such figures."""
    def criterion(name, low, high, limit="SERVER-LIMITED", more=""):
        return {"name": name, "text": f"{low}/s to {high}/s{more}", "low": low, "high": high, "verdict": {"limit": limit}}

    def part(label, p99=None, **more):
        return {"label": label, "summary": {"latencyMillis": {} if p99 is None else {"p99": p99}, **more}}
    told = [criterion("Responsiveness", *alone), criterion("Throughput", *rate), criterion("Capacity for latency", *capacity),
            criterion("Maximum load", 8, 8)]
    parts = [part("light load", alone[1]), part("9/s, held", 1000)]
    if tail:
        told.append(criterion("Tail latency", min(tail), max(tail)))
        parts += [part("8/s, held", tail[2]), part("50 % of the limit", tail[0]), part("80 % of the limit", tail[1])]
    good, share, *causes = over
    outcomes = {"good": 1, **dict.fromkeys(causes, 1)}
    return {"criteria": told + [criterion("Error handling", share * 100, share * 100)],
            "parts": parts + [part("overload: 600/s", rate=good, errors=share, outcomes=outcomes), part("recovery", 1)]}


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.results = self.folder / "results"
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

    def test_a_program_that_is_missing_is_named_with_what_builds_it_alone(self):
        dist = programs.DIST
        there, search = dist / "needletail-load", dist / "search-native"
        with mock.patch.object(programs, "has", lambda path: path == there), self.assertRaises(SystemExit) as ended:
            store.commands([])
        self.assertEqual(ended.exception.code, "bench/store: dist/bin/search-native is missing: run ./sbt searchNative/dist first")
        with mock.patch.object(Path, "exists", lambda path: path != search):
            setup = characterise.setups.Setup("x", "X", [there, search], None)
            self.assertEqual(setup.problem(), "dist/bin/search-native is missing: run ./sbt searchNative/dist first")

    def test_cells_tell_figures_that_are_bounds_and_those_that_are_none(self):
        for text, low, high, cell in (
                ("The highest rate of good responses is 1,200/s or more, in the step 'held'. 3 users had 1,200/s.", 1200, 1200, "≥ 1,200"),
                ("The highest rate of good responses is 1,200/s or more, with 3 users: 2 ms.", 1200, 1200, "≥ 1,200"),
                ("900/s or more with p99 < 1 s: about 2 requests in flight at a time.", 900, 900, "≥ 900"),
                ("900/s with p99 < 1 s: about 2 requests in flight at a time.", 900, 900, "900"),
                ("900 to 1,000/s with p99 < 1 s: about 2 requests in flight at a time.", 900, 1000, "900 to 1,000"),
                ("Not searched for with p99 < 1 s: with one user, 5 % of the requests failed.", 0, 0, "none"),
                ("Not found yet with p99 < 1 s: the search was interrupted.", 0, 0, "none"),
                ("No rate satisfies p99 < 1 s, not even 10/s: there p99 was 2 s.", 0, 0, "none")):
            criterion = {"text": text, "low": low, "high": high, "unit": "/s", "verdict": {"limit": "SERVER-LIMITED"}}
            with self.subTest(text):
                self.assertEqual(criteria.rate(criterion), cell)

    def test_characterise_leaves_no_empty_folder(self):
        status, _ = self.characterise("b", problem="not installed")
        self.assertEqual(status, 1)
        self.assertFalse(self.results.exists())

    def test_characterise_tells_each_step_and_passes_options_on(self):
        tool = self.folder / "needletail-load"
        tool.write_text("""#!/bin/sh
echo "$*" >"$0.words"
cat >&2 <<'END'
the machine: a warning
light load    1.0 s  1,200/s  p50 1 ms  p99 2 ms
light load    5.0 s  1,300/s  p50 1 ms  p99 2 ms
900/s, held    9.0 s  890/s  p50 1 ms  p99 2 ms
900/s, held   20.0 s  891/s  p50 1 ms  p99 2 ms
END
echo report
""")
        tool.chmod(0o755)
        setup = types.SimpleNamespace(name="b", start=lambda _: ([], "http://localhost:1/"))
        said = io.StringIO()
        with mock.patch.object(characterise, "LOAD", tool), contextlib.redirect_stderr(said):
            characterise.measure(setup, ["--objective", "p99 < 1 s", "--step", "2s"], self.folder, None)
        self.assertEqual(said.getvalue(), "  the machine: a warning\n  light load: 5 s, 1,300/s\n  900/s, held: 20 s, 891/s\n")
        self.assertEqual((self.folder / "b.txt").read_text(), "report\n")
        self.assertIn("http://localhost:1/ --objective p99 < 1 s --step 2s --json", Path(f"{tool}.words").read_text())

    def test_characterise_waits_longer_for_longer_steps(self):
        for passed, most in (([], 1200), (["--step", "10s"], 2400), (["--step", "1s", "--hold", "1m"], 3600), (["--poisson", "--step", "x"], 1200)):
            self.assertEqual(characterise.limit(passed), most)

    def characterise(self, *names, problem="", add=False, objective="p99 < 100 ms", conditions=None, more=()):
        """Runs bench/characterise with servers that have such a problem, or figures made up of their names; (status, output)."""
        def measure(setup, options, folder, core):
            self.options = options
            if setup.name == "broken":
                raise RuntimeError("no good response")
            (folder / f"{setup.name}.json").write_text(json.dumps(document(alone=(len(setup.name), 9))))
        setups = [types.SimpleNamespace(name=name, title=name.upper(), problem=lambda: problem) for name in ("b", "aa", "native", "go", "broken")]
        words = ["characterise", *names, "--objective", objective, "--out", str(self.results), *more] + (["--add"] if add else [])
        same, cores, said = dict.fromkeys(characterise.merging.SAME, 1), os.sched_getaffinity(0), io.StringIO()
        with mock.patch.object(characterise.setups, "setups", lambda: setups), mock.patch.object(characterise, "measure", measure), \
                mock.patch.object(characterise.programs, "need"), mock.patch.object(sys, "argv", words), \
                mock.patch.object(machine, "conditions", lambda: {**same, **(conditions or {})}), \
                contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            try:
                return characterise.main(), said.getvalue()
            except SystemExit as ended:
                return ended.code, said.getvalue()
            finally:
                os.sched_setaffinity(0, cores)

    def test_characterise_adds_servers_to_the_table_of_others(self):
        self.assertEqual(self.characterise("b", "go")[0], 0)
        status, said = self.characterise("native", "aa", add=True)
        self.assertEqual(status, 0)
        rows = [line.split(" | ")[:2] for line in said.strip().splitlines()[2:]]  # in the order of the page, then as they came
        self.assertEqual(rows, [["| Needletail, native", "6.0, 9.0 ms"], ["| Go, net/http", "2.0, 9.0 ms"], ["| B", "1.0, 9.0 ms"],
                                ["| AA", "2.0, 9.0 ms"]])
        self.assertEqual((self.results / "table.md").read_text().strip(), said.strip())
        self.assertEqual(list(json.loads((self.results / "servers.json").read_text())), ["native", "go", "b", "aa"])

    def test_characterise_takes_the_options_of_the_load_tester(self):
        more = ["--step", "1s", "--header", "A: b", "--header", "C: d", "--no-keep-alive"]
        self.assertEqual(self.characterise("b", more=more)[0], 0)
        self.assertEqual(self.options, ["--objective", "p99 < 100 ms", *more])

    def test_characterise_knows_the_options_of_the_load_tester(self):
        source = (machine.ROOT / "load/src/main/scala/needletail/load/command/options/OptionGroups.scala").read_text()
        groups = dict(re.findall(r"  def (\w+).*?\n(.*?)\n  \)", source, re.DOTALL))
        declared = re.compile(r'\b(value|repeated|time|span|file|flag)\(\s*"([a-z-]+)"(?:,\s*"([A-Z][A-Z:.,]*(?: VALUE)?)")?')
        shapes = {"time": "TIME", "span": "TIME", "file": "FILE", "flag": None}
        defined = {name: shapes.get(kind, shape or None) for kind, name, shape in declared.findall(groups["search"] + groups["asking"])}
        self.assertEqual(characterise.PASSED, {name: defined.get(name, "unknown") for name in characterise.PASSED})

    def test_characterise_keeps_the_table_where_a_server_fails(self):
        self.characterise("b")
        self.assertEqual(self.characterise("broken", add=True)[0], 1)
        self.assertIn("| B |", (self.results / "table.md").read_text())
        status, said = self.characterise("broken", "aa", add=True)
        self.assertEqual((status, "| AA |" in said and "| B |" in said and "BROKEN" not in said), (4, True))

    def test_characterise_adds_nothing_that_cannot_be_compared(self):
        self.characterise("b")
        for more, reason in (({}, "has results already; --add keeps them"), ({"add": True, "conditions": {"kernel": 2}}, "with another kernel"),
                             ({"add": True, "objective": "p99 < 1 s"}, "with the objective p99 < 100 ms"),
                             ({"add": True, "more": ["--step", "1s"]}, "b was measured with no options")):
            self.assertIn(reason, self.characterise("aa", **more)[0])
        self.assertEqual(list(json.loads((self.results / "servers.json").read_text())), ["b"])

    def test_the_table_is_the_one_of_the_page(self):
        measured = [
            ("Needletail, native", document(
                (0.0604, 0.111), (119207, 144511, "CLIENT-LIMITED", " or more"), (106709, 106709, "CLIENT-LIMITED", " or more"),
                (6.66, 18.1, 67.6), (101200, 0.322, "timeout"))),
            ("Needletail, JVM 17", document(
                (0.0712, 0.143), (129618, 140304, "CLIENT-LIMITED", " or more"), (117981, 117981, "CLIENT-LIMITED", " or more"),
                (6.36, 404, 687), (129986, 0.173, "timeout"))),
            ("Go, net/http", document((0.0727, 0.142), (73730, 77800), (45269, 45269, "CLIENT-LIMITED", " or more"), (7.63, 42.2, 90.8),
                                      (47568, 0.566, "timeout"))),
            ("Node.js", document((0.0763, 0.14), (33583, 39995, "UNCERTAIN"), (13541, 13541, "CLIENT-LIMITED", " or more"),
                                 (2.57, 2.95, 79.3), (49945, 0))),
            ("Apache prefork, native by CGI", document((51, 53.7), (242, 300), (218, 224), (58.46, 75.4, 88.1),
                                                       (257, 0.2746, "connect-timeout", "timeout"))),
            ("Apache prefork, Python by CGI", document((12.51, 64.46), (74.4, 80.6), (44.52, 45.9), (74.4, 90.6, 95.9),
                                                       (60.7, 0.384, "timeout", "connect-timeout")))]
        page = (machine.ROOT / "docs" / "comparisons.md").read_text()
        self.assertEqual(criteria.table(measured), criteria.documented(page))

    def test_the_table_of_what_was_not_found(self):
        found = document(rate=(1.5, 2.25, "SERVER-LIMITED", " or more"), capacity=(0, 0, "UNCERTAIN"), tail=None, over=(3, 0.004, "status"))
        found["criteria"][2]["text"] = "No rate satisfies p99 < 100 ms, not even 1/s."
        self.assertEqual(criteria.row("x", found), ("x", "1.0, 2.0 ms", "≥ 1.5 to 2.2", "none", "", "3.0/s good, 0.40 % failed"))
        del found["criteria"][1:]
        self.assertEqual(criteria.row("x", found), ("x", "1.0, 2.0 ms", "", "", "", ""))

    def test_images_checks_its_arguments_and_programs_first(self):
        images = machine.ROOT / "deploy" / "images"
        status, out, _ = self.run_without(images, "server", "WRONGWORD")
        self.assertEqual((status, out.splitlines()[0]), (2, "Builds the images of this folder without a container engine, starts each in a network of its own, runs its health"))
        self.assertFalse((self.folder / "images").exists())
        for name in ("bash", "dirname", "mkdir", "sed", "python3"):
            (self.folder / name).unlink()
        self.assertEqual(self.run_without(images, "server"), (1, "", "deploy/images: buildah is missing\n"))

    def test_images_says_how_to_build_a_program_that_is_not_static(self):
        program = self.folder / "bin" / "hello-native"
        program.parent.mkdir()
        program.write_bytes(b"\x7fELF" + bytes(600) + b"/lib64/ld-linux-x86-64.so.2\0")
        for kind in ("server", "load"):
            done = subprocess.run([machine.ROOT / "deploy" / "images", kind], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                                  env={**os.environ, "BUILT": str(self.folder), "IMAGES_DIRECTORY": str(self.folder / "images"), "PROGRAM": "hello"})
            said = f"deploy/images: {program} is linked dynamically; the image needs a static one: deploy/build-native hello {program} static-tls\n"
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", said))
        self.assertFalse((self.folder / "images").exists())

    def test_services_of_compose_may_open_as_many_files_as_this_process(self):
        source = importlib.machinery.SourceFileLoader("try_compose", str(machine.ROOT / "deploy" / "try-compose"))
        said = []

        def run(*command, **_):
            said.append([str(word) for word in command])
            return '{"Docker": {"config": {"Entrypoint": ["/program"], "Cmd": null}}}'
        with mock.patch.object(sys, "argv", ["try-compose", str(self.folder), "--root", "x"]), mock.patch.dict(sys.modules, yaml=mock.Mock()):
            compose = importlib.util.module_from_spec(importlib.util.spec_from_loader("try_compose", source))
            source.exec_module(compose)
        for limit, most in ((20000, 20000), (compose.resource.RLIM_INFINITY, 1048576)):
            said.clear()
            with mock.patch.object(compose, "run", run), mock.patch.object(compose.resource, "getrlimit", lambda _: (1024, limit)):
                compose.Service("store", "needletail/store", None, {"store": "10.89.0.10"})
            self.assertEqual(said[0], ["buildah", "--root", "x", "from", "--pull-never", "--ulimit", f"nofile={most}:{most}",
                                       "--add-host=store:10.89.0.10", "needletail/store"])

    def tearDown(self):
        process.stop_all()


if __name__ == "__main__":
    unittest.main()
