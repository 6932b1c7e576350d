"""Tests what is said of programs that are missing. Run: python3 bench/harness/programs_test.py"""

import sys
import unittest

import programs


class ProgramsTest(unittest.TestCase):
    def test_how_to_build_it(self):
        for name, task in (("overload-native", "overloadNative/dist"), ("reference", "referenceJVM/dist"),
                           ("gzip-cost-native", "gzipCostNative/dist"), ("needletail-load", "load/dist")):
            self.assertEqual(programs.message(programs.DIST / name), f"dist/bin/{name} is missing: run ./sbt {task} first")

    def test_a_program_from_elsewhere(self):
        self.assertEqual(programs.message("/nowhere/server"), "/nowhere/server is missing, or cannot be executed")

    def test_a_program_on_the_path(self):
        self.assertEqual(programs.message("no-such-tool"), "no-such-tool is missing: it is not on the PATH")
        programs.need("bench/x", "sh")

    def test_the_first_that_is_missing_ends_the_script(self):
        programs.need("bench/x", sys.executable)
        with self.assertRaises(SystemExit) as ended:
            programs.need("bench/x", sys.executable, "/nowhere/server", "/nowhere/other")
        self.assertEqual(ended.exception.code, "bench/x: /nowhere/server is missing, or cannot be executed")


if __name__ == "__main__":
    unittest.main()
