package needletail.testing

import scala.concurrent.Future

import org.junit.AssumptionViolatedException

/**
 * The base of every suite: munit's FunSuite here, a small runner on Native.
 *
 * Each test runs on a thread of its own and fails if it is not over within `munitTimeout` (30 seconds unless
 * overridden), even if it waits for something.
 */
abstract class Suite extends munit.FunSuite with Eventually {
  override def munitTestTransforms: List[TestTransform] =
    super.munitTestTransforms :+ new TestTransform(
      "bounded in time",
      test =>
        test.withBody(() =>
          Future.fromTry(
            SecondTry.run(
              s"${getClass.getName}: ${test.name}",
              munitTimeout,
              _.isInstanceOf[AssumptionViolatedException],
              SecondTry.note
            )(test.body)
          )
        )
    )

  // munit has wrapped the value into a Future when the transform above sees it.
  override def munitValueTransforms: List[ValueTransform] =
    super.munitValueTransforms :+ new ValueTransform(
      "never awaited",
      { case value if Unawaited.is(value) => Future.failed(Unawaited.failure(value)) }
    )
}
