import sbt._
import sbt.util.Logger

/** Tests of this build's own tools, which no suite sees. Part of `./test structure`. */
object ToolChecks {
  def check(scratch: File, log: Logger): TestCounts =
    (sleeps ++ mutants(scratch)).map { case (name, passes) =>
      val wrong =
        try if (passes()) None else Some(s"a tool of the build fails: $name")
        catch { case e: Exception => Some(s"a tool of the build fails: $name: $e") }
      wrong.foreach(log.error(_))
      wrong.fold(TestCounts(1, 0, 0))(why => TestCounts(0, 1, 0, Seq(why)))
    }.foldLeft(TestCounts(0, 0, 0))(_ + _)

  private type Check = (String, () => Boolean)

  private def sleeps: Seq[Check] = {
    def found(line: String): Check = s"'$line' sleeps"         -> (() => Sleeps.in(line) == Seq(1))
    def not(line: String): Check   = s"'$line' does not sleep" -> (() => Sleeps.in(line).isEmpty)
    Seq(
      found("Thread.sleep(5)"),
      found("java.lang.Thread . sleep(5)"),
      found("Thread sleep 5"),
      found("TimeUnit.SECONDS.sleep(1)"),
      found("MILLISECONDS.sleep(1)"),
      found("LockSupport.parkNanos(1)"),
      found("import java.lang.Thread.sleep"),
      found("import java.lang.Thread._"),
      found("import java.lang.Thread.{currentThread, sleep}"),
      found("""get("http://a/"); Thread.sleep(5)"""),
      found("f('\"'); Thread.sleep(5) // \""),
      found("/* a while */ Thread.sleep(5)"),
      found("s\"${Thread.sleep(5)}\""),
      not("// Thread.sleep(5)"),
      not("/** Not Thread.sleep. */"),
      not("f() // Thread.sleep"),
      not("Async.sleep(5.seconds)"),
      not("import java.lang.Thread.currentThread"),
      not("import java.util.concurrent.TimeUnit.SECONDS"),
      "lines are counted across comments" ->
        (() =>
          Sleeps.in("/* one\n two */\n// three\nf()\nThread.sleep(5)\n\n Thread\n  .sleep(5)") == Seq(5, 7)
        )
    )
  }

  private def mutants(scratch: File): Seq[Check] = {
    import Mutants._
    def head(text: String): Mutant = {
      val file = scratch / "a-fix-removed.patch"
      IO.write(file, text)
      read(file)
    }
    def refuses(text: String, why: String): Check = s"a patch that begins with '$text' is refused" -> { () =>
      try { head(text); false }
      catch { case e: MessageOnlyException => e.getMessage == s"a-fix-removed.patch: $why" }
    }
    val plain = Mutant("plain", file("plain.patch"), "`a` in `b`", Nil, 20000, isNative = false, "")
    val fewer = plain.copy(name = "fewer", removed = "`a`", options = Seq("--from", "2"), most = 300)
    val known = fewer.copy(name = "known", removed = "`c`", elsewhere = "`XSuite` finds it")
    val found = Result(Some(7), "a | b")
    val rows  =
      Seq("| `c` (`--from 2`) | 5 | known before |", "| `a` in `b` | 6 | plain before |", "| gone | 1 | d |")
    Seq[Check](
      "the head of a patch" -> (() => {
        val mutant =
          head(
            "Removed: `x`: all of it\nSeeds: --from 13  --every 13\nMost: 50\nPlatform: native\n\nMost: 1\n"
          )
        mutant.copy(patch = file("")) == Mutant(
          "a-fix-removed",
          file(""),
          "`x`: all of it",
          Seq("--from", "13", "--every", "13"),
          50,
          isNative = true,
          ""
        )
      }),
      "what a patch need not say" -> (() => {
        val mutant = head("Removed: `x`\nElsewhere: `XSuite` finds it\n\n")
        (mutant.options, mutant.most, mutant.isNative, mutant.elsewhere) ==
          ((Nil, 20000L, false, "`XSuite` finds it"))
      }),
      refuses("Most: 5\n\n", "its head does not say what it removes"),
      refuses("Removed: x\nMost: all\n\n", "not a number: all"),
      refuses("Removed: x\nPlatform: js\n\n", "unknown platform js"),
      refuses("Remove: x\n\n", "unknown line in its head: Remove: x"),
      "the row of a mutant that is found"      -> (() => row(plain, found) == "| `a` in `b` | 7 | a \\| b |"),
      "the row of a mutant that no seed finds" -> (() =>
        row(known, Result(None, "")) == "| `c` (`--from 2`) | none | nothing in 300. `XSuite` finds it |"
      ),
      "a result replaces the row of its mutant alone; what has no patch any more goes" -> (() =>
        table(Seq(known, fewer, plain), rows, plain, found) == Seq(rows.head, row(plain, found))
      ),
      "a new mutant has its row in the order of the names" -> (() =>
        table(Seq(known, fewer, plain), rows, fewer, found) == Seq(rows.head, row(fewer, found), rows(1))
      ),
      "a table is replaced between its marks" -> (() => {
        val document = scratch / "document.md"
        IO.writeLines(document, Seq("before", "<!-- mutants -->", "old", "<!-- /mutants -->", "after"))
        write(document, Seq("| row |"))
        val columns = Seq("| removed fix | first seed | output of the run |", "|---|---|---|")
        IO.readLines(document) ==
          Seq("before", "<!-- mutants -->") ++ columns ++ Seq("| row |", "<!-- /mutants -->", "after") &&
          rowsOf(document) == Seq("| row |")
      }),
      "a finding is cut to its first words" -> (() =>
        short("one \t two; three") == "one two" && short("word " * 100) == "word " * 28 + "…"
      )
    )
  }
}
