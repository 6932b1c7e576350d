"""Tests how the load testers' outputs are read. Run: python3 bench/harness/testers_test.py"""

import json
import tempfile
import unittest
from pathlib import Path

import testers
from testers import Result, Unreadable

WRK = """Running 3s test @ http://127.0.0.1:18080/plaintext
  Latency Distribution
     50%  263.00us
     75%  309.00us
     90%    1.20ms
     99%    2.17ms
  137322 requests in 3.00s, 14.93MB read
{}Requests/sec:  45774.00
"""

WRK2 = """  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%  812.00us
 75.000%    1.12ms
 90.000%    1.57ms
 99.000%   22.66ms
 99.900%   37.02ms
 99.990%   40.06ms
100.000%   40.06ms
  2995 requests in 3.00s, 334.01KB read
"""

HEY = """Latency distribution:
  10%{0} in 0.0004 secs
  50%{0} in 0.0015 secs
  99%{0} in 0.0070 secs

Status code distribution:
  [200]	74280 responses
"""

GATLING = """---- Requests -----------------------------------------------------------------------|---Total---|-----OK----|----KO----
> Global                                                                             |    40,096 |    40,095 |         1
> plaintext                                                                          |    40,096 |    40,095 |         1
---- Requests -----------------------------------------------------------------------|---Total---|-----OK----|----KO----
> Global                                                                             |    50,099 |    50,096 |         3
> plaintext                                                                          |    50,099 |    50,096 |         3
"""

GATLING_REPORT = """---- Global Information -------------------------------------------------------------|---Total---|-----OK----|----KO----
> request count                                                                      |    50,099 |    50,096 |         3
> response time 50th percentile (ms)                                                 |         3 |         2 |         -
> response time 99th percentile (ms)                                                 |     1,300 |     1,241 |         -
"""


class Reading(unittest.TestCase):
    def setUp(self):
        self.at = tempfile.TemporaryDirectory()
        self.addCleanup(self.at.cleanup)
        self.folder = Path(self.at.name)

    def test_wrk(self):
        self.assertEqual(testers.read_wrk(WRK.format(""), None), Result(137322, 0.263, 2.17))
        wrong = "  Non-2xx or 3xx responses: 322\n"
        self.assertEqual(testers.read_wrk(WRK.format(wrong), None).good, 137000, "bad answers do not count")

    def test_wrk2(self):
        self.assertEqual(testers.read_wrk(WRK2, None), Result(2995, 0.812, 22.66, 37.02))

    def test_ab(self):
        out = "Complete requests:      500\nFailed requests:        3\n  50%      1\n  66%      1\n  99%     16\n 100%     20\n"
        self.assertEqual(testers.read_ab(out, None), Result(497, 1, 16))

    def test_h2load(self):
        out = "requests: 10 total, 10 started, 10 done, 9 succeeded, 1 failed, 0 errored, 0 timeout\n"
        self.assertEqual(testers.read_h2load(out, None), Result(9))

    def test_hey_with_one_sign_or_two(self):
        for sign in ("%", "%%"):
            self.assertEqual(testers.read_hey(HEY.format(sign[1:]), None), Result(74280, 1.5, 7))

    def test_oha(self):
        out = {"latencyPercentiles": {"p50": 0.001, "p99": 0.002, "p99.9": 0.003}, "statusCodeDistribution": {"200": 7, "503": 1}}
        self.assertEqual(testers.read_oha(json.dumps(out), None), Result(7, 1, 2, 3))

    def test_vegeta(self):
        out = {"latencies": {"50th": 143215, "99th": 8462275}, "status_codes": {"0": 3, "200": 6000}}
        self.assertEqual(testers.read_vegeta(json.dumps(out), None), Result(6000, 0.143215, 8.462275))

    def test_k6(self):
        metrics = {"http_reqs": {"count": 100}, "http_req_failed": {"passes": 4, "fails": 96},
                   "http_req_duration": {"p(50)": 2.5, "p(99)": 20.6, "p(99.9)": 30}}
        (self.folder / "k6.json").write_text(json.dumps({"metrics": metrics}))
        self.assertEqual(testers.read_k6("", self.folder), Result(96, 2.5, 20.6, 30))

    def test_gatling(self):
        self.assertEqual(testers.read_gatling(GATLING, self.folder), Result(50096, None, None), "the last table counts")
        self.assertEqual(testers.read_gatling(GATLING + GATLING_REPORT, self.folder), Result(50096, 2, 1241))

    def test_ours(self):
        interval = {"lengthMillis": 1000, "kinds": [{"outcomes": {"good": 500, "status": 9}}], "self": {"cpu": 0.5}}
        part = {"summary": {"good": 2000, "latencyMillis": {"p50": 1, "p99": 2, "p99.9": 3}}, "run": {"intervals": [interval] * 4}}
        (self.folder / "run.json").write_text(json.dumps({"parts": [part]}))
        self.assertEqual(testers.read_ours("", self.folder), Result(2000, 1, 2, 3, 1000))

    def test_what_cannot_be_read_is_said(self):
        for read in (testers.read_wrk, testers.read_ab, testers.read_h2load, testers.read_hey, testers.read_gatling):
            with self.assertRaises(Unreadable):
                read("something else", self.folder)


if __name__ == "__main__":
    unittest.main()
