"""redbot's notes on a URL: fails if one is bad, or if none is good."""

import json
import subprocess
import sys

command = [sys.executable, "-c", "from redbot.cli import main; main()", "-o", "har", sys.argv[1]]
said = subprocess.run(command, capture_output=True, text=True, timeout=100)
if said.returncode != 0:
    sys.exit(said.stderr)
entries = json.loads(said.stdout)["log"]["entries"]
notes = [note for entry in entries for note in entry.get("_red_messages", [])]
bad = [note["summary"] for note in notes if note["level"].upper() not in ("GOOD", "INFO", "WARN")]
if entries[0]["response"]["status"] != 200:
    bad.append(f"status {entries[0]['response']['status']}")
if bad or not any(note["level"].upper() == "GOOD" for note in notes):
    sys.exit("\n".join(bad) or "no note is good")
