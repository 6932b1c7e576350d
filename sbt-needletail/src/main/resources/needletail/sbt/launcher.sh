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
if [ -z "$home" ] && java=$(command -v java); then
  java=$(readlink -f "$java") && home=${java%/bin/java}
  # That of asdf, jenv or mise is not in a JDK, but starts the java of one.
  if ! [ -x "$home/bin/java" ]; then
    home=$(JAVA_TOOL_OPTIONS= JDK_JAVA_OPTIONS= _JAVA_OPTIONS= java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
  fi
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

# What was asked for is the only one of its kind that is named: two collectors are an error, and so is a cache beside
# another, or beside an archive. The JVM takes options from these variables by itself, where quotes may be around one.
collector="@COLLECTOR@"
for option in ${JAVA_OPTS:-} ${JDK_JAVA_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-} ${_JAVA_OPTIONS:-}; do
  option=${option#[\"\']}
  option=${option%[\"\']}
  case $option in
    -Xshare:* | -XX:AOTCache*=* | -XX:AOTConfiguration=* | -XX:SharedArchiveFile=* | -XX:ArchiveClassesAtExit=* | \
      -XX:SharedClassListFile=* | -XX:DumpLoadedClassList=*) prepared=-XX:-UsePerfData ;;
    -XX:+Use*SystemGC) ;; # is about the collections that a program asks for
    -XX:+Use*GC) collector= ;;
  esac
done

# Without memory a thread can end of which others wait for ever. So the program ends as a whole, with status 3, and can
# be started again.
#
# JAVA_OPTS and the collector are split into words on purpose.
# shellcheck disable=SC2086
exec "$home/bin/java" "$prepared" -Xlog:disable -Xlog:all=error:stderr \
  -XX:-UsePerfData -XX:+ExitOnOutOfMemoryError $collector ${JAVA_OPTS:-} -cp "@CLASSPATH@" @MAIN@ "$@"
