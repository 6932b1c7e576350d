import java.io.File

import sbt._
import sbt.internal.inc.{Analysis, Relations}
import sbt.util.Logger
import xsbti.VirtualFileRef
import xsbti.compile.CompileAnalysis

/**
 * What knows what: the arrows between source files and between packages, as the compiler recorded them for incremental
 * compilation. `check` compares them with `project/structure.txt`.
 */
object Structure {

  /** A source file: its package, its name without suffix, and the files of the whole build that it names. */
  final case class Source(pkg: String, name: String) {
    override def toString: String = s"$pkg.$name"
  }

  type Graph[A] = Map[A, Set[A]]

  /** The arrows of `analyses`, the main sources of all modules. */
  def files(analyses: Seq[CompileAnalysis]): Graph[Source] = {
    val all                                        = analyses.collect { case a: Analysis => a.relations }
    val owner: Map[String, Source]                 = all.flatMap(classes).toMap
    def arrows(r: Relations, from: VirtualFileRef) = {
      val named = r.classNames(from).flatMap(c => r.internalClassDeps(c) ++ r.externalDeps(c))
      val self  = r.classNames(from).flatMap(owner.get)
      self.map(_ -> (named.flatMap(owner.get) -- self))
    }
    all.flatMap(r => r.allSources.toSeq.flatMap(arrows(r, _)))
      .groupBy(_._1)
      .map { case (source, found) => source -> found.flatMap(_._2).toSet }
  }

  private def classes(r: Relations): Seq[(String, Source)] =
    for {
      file <- r.allSources.toSeq
      named = r.classNames(file)
      top   = named.toSeq.sortBy(_.length).headOption.toSeq
      name  <- named.toSeq
      first <- top
    } yield name -> Source(
      first.split('.').dropRight(1).mkString("."),
      file.name.stripSuffix(".scala").stripSuffix(".java")
    )

  /** Circles: the strongly connected parts of more than one node, the largest first (Tarjan, 1972). */
  def circles[A](graph: Graph[A]): Seq[Set[A]] = {
    val index, low        = collection.mutable.Map.empty[A, Int]
    val stack             = collection.mutable.ArrayBuffer.empty[A]
    val found             = Seq.newBuilder[Set[A]]
    def visit(a: A): Unit = {
      index(a) = index.size
      low(a) = index(a)
      stack += a
      for (b <- graph.getOrElse(a, Set.empty))
        if (!index.contains(b)) { visit(b); low(a) = low(a) min low(b) }
        else if (stack.contains(b)) low(a) = low(a) min index(b)
      if (low(a) == index(a)) {
        val part = stack.drop(stack.indexOf(a))
        stack.remove(stack.indexOf(a), part.size)
        if (part.size > 1) found += part.toSet
      }
    }
    graph.keys.foreach(a => if (!index.contains(a)) visit(a))
    found.result().sortBy(-_.size)
  }

  /** The arrows between packages. */
  def packages(graph: Graph[Source]): Graph[String] =
    graph.toSeq
      .groupBy(_._1.pkg)
      .map { case (pkg, sources) => pkg -> (sources.flatMap(_._2).map(_.pkg).toSet - pkg) }

  /** Files in one circle that are still one concept. */
  private val parts = 3

  /**
   * Packages that each package may name, from lines `package: name name`; `#` begins a comment. A name is one of a package
   * in the same module: `needletail.server.tcp: config` allows `needletail.server.config`. Between modules a line is about
   * all of their packages: `needletail.server.*: io`.
   */
  def table(file: File): Graph[String] =
    IO.readLines(file)
      .map(_.takeWhile(_ != '#').trim)
      .filter(_.nonEmpty)
      .map { line =>
        val Array(from, names)          = (line + " ").split(":", 2)
        def whole(name: String): String =
          if (from.endsWith(".*")) s"needletail.$name.*" else module(from).stripSuffix("*") + name
        from -> names.split(' ').filter(_.nonEmpty).map(whole).toSet
      }
      .toMap

  /** The module of a package, as the table names it: `needletail.server.*`. */
  private def module(pkg: String): String = pkg.split('.').take(2).mkString("", ".", ".*")

  /** The entry of the table that an arrow between two packages needs: of the packages within a module, else of the modules. */
  private def entry(from: String, to: String): (String, String) =
    if (module(from) == module(to)) (from, to) else (module(from), module(to))

  /** What is wrong, a line each; `graphs` are one for each platform. */
  def faults(graphs: Seq[Graph[Source]], allowed: Graph[String]): Seq[String] = {
    val used = graphs.map(packages).flatten.groupBy(_._1).map { case (p, all) =>
      p -> all.flatMap(_._2).toSet
    }
    val entries = (for { (from, all) <- used.toSeq; to <- all } yield entry(from, to)).toSet
    val arrows  = for {
      graph      <- graphs
      (from, to) <- graph.toSeq
      target     <- to
      if target.pkg != from.pkg
      (subject, obj) = entry(from.pkg, target.pkg)
      if !allowed.getOrElse(subject, Set.empty)(obj)
    } yield s"$from names $target: ${from.pkg} may not know ${target.pkg}"
    val stale = for {
      (from, to) <- allowed.toSeq
      target     <- to
      if !entries((from, target))
    } yield s"$from does not name $target: the table need not allow it"
    val unknown = (used.keySet -- allowed.keySet).toSeq.map(p => s"$p is not in the table")
    val inFiles = graphs.flatMap(circles(_)).filter(_.size > parts).map(c =>
      s"${c.size} files in a circle: ${c.toSeq.map(_.toString).sorted.mkString(", ")}"
    )
    val inPackages =
      circles(used).map(c => s"packages in a circle: ${c.toSeq.sorted.mkString(", ")}")
    (arrows ++ stale ++ unknown ++ inFiles ++ inPackages).distinct.sorted
  }

  /**
   * Compares with the table, leaves all arrows in `out`, and counts one test for each package of the table. Also checks
   * the names of the modules' packages: see [[WildcardNames]].
   */
  def check(table: File, out: File, platforms: Seq[Seq[CompileAnalysis]], log: Logger): TestCounts = {
    val graphs = platforms.map(files)
    IO.writeLines(
      out,
      graphs.flatMap(_.toSeq).flatMap { case (a, bs) => bs.map(b => s"$a $b") }.distinct.sorted
    )
    val allowed = this.table(table)
    val modules = allowed.keys.filter(_.endsWith(".*")).map(_.split('.')(1)).filter(_ != "load").toSeq.sorted
    val wrong   = faults(graphs, allowed) ++ platforms.flatMap(WildcardNames.faults(modules, _)).distinct
    wrong.foreach(log.error(_))
    TestCounts((allowed.size - wrong.size) max 0, wrong.size, 0, wrong)
  }
}
