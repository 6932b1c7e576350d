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
lib=$(CDPATH= cd -- "$(dirname -- "$here")/../lib" && pwd -P) || exit 1

home=${JAVA_HOME:-}
if [ -z "$home" ]; then
  java=$(command -v java) && java=$(readlink -f "$java") && home=${java%/bin/java}
fi
if ! [ -x "$home/bin/java" ]; then
  echo "@NAME@: no java found: set JAVA_HOME, or put java on the PATH (17 or later)" >&2
  exit 127
fi

# What was made for this version of Java: from 25 on a cache of classes and of how they were used, before that an
# archive of classes. It fits one build of a JDK and one place; any other ignores it, and says nothing.
version=
if [ -r "$home/release" ]; then
  while IFS='"' read -r key value _; do
    if [ "$key" = JAVA_VERSION= ]; then version=${value%%[.+-]*}; fi
  done <"$home/release"
fi
if [ -f "$lib/@NAME@-$version.aot" ]; then
  prepared=-XX:AOTCache=$lib/@NAME@-$version.aot
elif [ -f "$lib/@NAME@-$version.jsa" ]; then
  prepared=-XX:SharedArchiveFile=$lib/@NAME@-$version.jsa
else
  prepared=-Xshare:auto
fi
case ${JAVA_OPTS:-} in # to make one goes with no other
  *-XX:AOTCacheOutput=* | *-XX:ArchiveClassesAtExit=*) prepared=-XX:-UsePerfData ;;
esac

# A collector that was asked for is the only one named: two are an error.
case ${JAVA_OPTS:-} in
  *-XX:+Use*GC*) collector= ;;
  *) collector=@COLLECTOR@ ;;
esac

# Without memory a thread can end of which others wait for ever. So the program ends as a whole, with status 3, and can
# be started again.
#
# JAVA_OPTS and the collector are split into words on purpose.
# shellcheck disable=SC2086
exec "$home/bin/java" "$prepared" -Xlog:disable -Xlog:all=error:stderr \
  -XX:-UsePerfData -XX:+ExitOnOutOfMemoryError $collector ${JAVA_OPTS:-} -cp "@CLASSPATH@" @MAIN@ "$@"
