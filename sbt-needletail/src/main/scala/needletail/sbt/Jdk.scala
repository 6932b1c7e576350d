package needletail.sbt

import _root_.sbt._

/** A JDK on this machine. */
private[sbt] final case class Jdk(home: File, version: Int)

private[sbt] object Jdk {

  /**
   * One of each version from 17 on: the one that runs this, those that JAVA_HOME, JAVA17_HOME and JAVA25_HOME name, and
   * those installed beside them.
   */
  lazy val found: Seq[Jdk] = {
    val named = file(sys.props("java.home")) +:
      Seq("JAVA_HOME", "JAVA17_HOME", "JAVA25_HOME").flatMap(sys.env.get).filter(_.nonEmpty).map(file(_))
    val beside = named.flatMap(home => Option(home.getCanonicalFile.getParentFile.listFiles)).flatten
    val all    = (named ++ beside.filter(_.isDirectory).sorted).flatMap(of)
    all.groupBy(_.version).values.map(_.head).filter(_.version >= 17).toSeq.sortBy(_.version)
  }

  private def of(home: File): Option[Jdk] = {
    val release = home / "release"
    if (!(home / "bin" / "java").canExecute || !release.isFile) None
    else
      IO.readLines(release).collectFirst { case Version(number) => Jdk(home, number.toInt) }
  }

  private val Version = """JAVA_VERSION="(\d+).*""".r
}
