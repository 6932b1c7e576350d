#!/bin/sh
# Starts @NAME@ on the JVM: the java of JAVA_HOME, or the one on the PATH; Java 17 or later.
# JAVA_OPTS adds options of the JVM; the arguments go to the program.
here=$0
while [ -h "$here" ]; do
  target=$(readlink "$here")
  case $target in
    /*) here=$target ;;
    *) here=$(dirname "$here")/$target ;;
  esac
done
lib=$(cd "$(dirname "$here")/../lib" && pwd -P) || exit 1

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if ! command -v "$java" >/dev/null 2>&1; then
  echo "@NAME@: no java found: set JAVA_HOME, or put java on the PATH (17 or later)" >&2
  exit 127
fi

# A collector that was asked for is the only one named: two are an error.
case ${JAVA_OPTS:-} in
  *-XX:+Use*GC*) collector= ;;
  *) collector=@COLLECTOR@ ;;
esac

# The archive of classes was made for one JDK and one place. Any other ignores it, and says nothing.
# JAVA_OPTS and the collector are split into words on purpose.
# shellcheck disable=SC2086
exec "$java" -XX:SharedArchiveFile="$lib/@NAME@.jsa" -Xshare:auto -Xlog:disable -Xlog:all=error:stderr \
  -XX:-UsePerfData $collector ${JAVA_OPTS:-} -cp "@CLASSPATH@" @MAIN@ "$@"
