package needletail.testing

/** What every suite extends: munit's FunSuite here, our own small runner on Native. */
abstract class Suite extends munit.FunSuite
