package needletail.sbt

import _root_.sbt._
import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap
import scala.sys.process.{Process => Command, ProcessLogger}
import scala.util.Try

/** Detects what the machine's clang can link, by trying it. */
private[sbt] final case class NativeLinker(lld: Boolean, staticCpp: Boolean)

private[sbt] object NativeLinker {
  private val asked = new ConcurrentHashMap[Path, NativeLinker]

  /** The result is cached until sbt ends: programs installed meanwhile are noticed at its next start. */
  def of(clangpp: Path, log: Logger): NativeLinker = asked.computeIfAbsent(
    clangpp,
    _ => {
      val found = if (linux) NativeLinker(linksWithLld(clangpp), hasStaticCpp(clangpp)) else neither
      if (linux && !found.lld)
        log.warn(
          "lld does not work here: native programs are linked without LTO, are larger and start more slowly. " +
            "Install lld (Debian: apt-get install lld)"
        )
      found
    }
  )

  private def neither = NativeLinker(lld = false, staticCpp = false)

  /** The options below are of its linkers for ELF, and tried on Linux only. */
  def linux: Boolean = sys.props("os.name") == "Linux"

  /** By a program that needs LTO and the C++ library, as it may be there and not work with this clang. */
  private def linksWithLld(clangpp: Path): Boolean = IO.withTemporaryDirectory { work =>
    val source = work / "try.cpp"
    IO.write(source, "#include <string>\nint main() { return std::string().size(); }\n")
    val out = (work / "try").getPath
    Try(
      Command(Seq(clangpp.toString, "-O1", "-flto=thin", "-fuse-ld=lld", source.getPath, "-o", out)).!(quiet)
    ).toOption.contains(0)
  }

  private def hasStaticCpp(clangpp: Path): Boolean =
    Try(Command(Seq(clangpp.toString, "-print-file-name=libstdc++.a")).!!(quiet)).toOption
      .exists(path => new File(path.trim).isAbsolute)

  private def quiet = ProcessLogger(_ => ())
}
