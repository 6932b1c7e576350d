package needletail.load.scenario

import java.nio.file.Path

import needletail.load.file.TextFile
import needletail.load.plan.LoadPlan

/**
 * An error in a scenario.
 *
 * @param file as it was given
 * @param line from 1; 0 for the file as a whole
 * @param column from 1; 0 for the file as a whole
 */
final case class ScenarioError(file: String, line: Int, column: Int, reason: String) {
  override def toString: String = if (line > 0) s"$file:$line:$column: $reason" else s"$file: $reason"
}

/** Reads plans from YAML files, as described in `docs/load-scenarios.md`. */
object Scenario {

  /**
   * The plan in a file. Left is the first mistake. Files that it names are relative to it.
   *
   * @param server the URL that stands in for the file's `target`, if any
   */
  def read(path: Path, server: Option[String] = None): Either[ScenarioError, LoadPlan] =
    TextFile.read(path) match {
      case Left(reason) => Left(ScenarioError(path.toString, 0, 0, reason))
      case Right(yaml)  => parse(yaml, path, server)
    }

  /** The plan in `yaml`, as if it were the text of the file `path`. */
  def parse(yaml: String, path: Path, server: Option[String] = None): Either[ScenarioError, LoadPlan] =
    try Right(new ScenarioReader(path, server).plan(Yaml.parse(yaml)))
    catch { case m: Mistake => Left(ScenarioError(path.toString, m.at.line, m.at.column, m.reason)) }
}
