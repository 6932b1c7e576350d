#!/usr/bin/env bash
# Starts sbt: the one on the PATH when there is one, else the launcher, fetched once with Maven.
#   ./sbt run         the demo, on the JVM
#   ./sbt dist        what a release ships, in dist/bin; ./sbt "dist hello" of one program
#   ./sbt             sbt's own prompt
set -euo pipefail
cd "$(dirname "$0")"

launcher_version=1.13.1
# The compilers, the native linker and all tests fit into 3 GB, and collect garbage less often in more.
heap=3g
# In a container its own limit counts; where there is none, the file says `max` or some impossible number.
memory=$(awk '/^MemTotal:/ { print $2 * 1024 }' /proc/meminfo 2>/dev/null || echo 0)
for limit in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
  memory=$( (echo "${memory:-0}"; cat "$limit" 2>/dev/null || true) |
    awk '/^[0-9.e+]+$/ && (NR == 1 || $1 < least) { least = $1 } END { printf "%.0f", least }')
done
if [ "$((memory / 1073741824))" -ge 12 ]; then heap=5g; fi
# SBT_OPTS, which sbt's own launcher script reads as well, comes last and so wins.
# Two compilers and all tests fill the usual 240 MB of compiled code; beyond them the JVM interprets.
export SBT_OPTS="-Xmx$heap -Xss8m -XX:+UseParallelGC -XX:ReservedCodeCacheSize=512m -Dfile.encoding=UTF-8 ${SBT_OPTS:-}"

# One program is built at two thirds of the cost without the JVM's second compiler, which pays off in longer runs.
case "$*" in
  "dist "*) SBT_OPTS="-XX:TieredStopAtLevel=1 $SBT_OPTS" ;;
esac

if [ -z "${NEEDLETAIL_OWN_SBT:-}" ] && command -v sbt >/dev/null 2>&1; then
  exec sbt "$@"
fi

cache="${XDG_CACHE_HOME:-$HOME/.cache}/needletail"
jar="$cache/sbt-launch-$launcher_version.jar"
if [ ! -s "$jar" ]; then
  if ! command -v mvn >/dev/null 2>&1; then
    echo "needletail: neither sbt nor mvn is on the PATH; install one of them (Debian: apt-get install maven)" >&2
    exit 1
  fi
  mkdir -p "$cache"
  part=$(mktemp -d "$cache/fetch.XXXXXX")
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    -Dartifact="org.scala-sbt:sbt-launch:$launcher_version" -DoutputDirectory="$part" >&2
  mv "$part/sbt-launch-$launcher_version.jar" "$jar"
  rmdir "$part"
fi
# Split into words on purpose.
# shellcheck disable=SC2086
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" $SBT_OPTS -jar "$jar" "$@"
