package needletail.http

import java.lang.reflect.Modifier

import needletail.http.message.Rendered
import needletail.testing.Suite

/**
 * What loops show each other without a lock must be volatile: on Native nothing else makes an object's fields visible
 * with it, though the JVM would do with final ones (decision 22). It can hardly be seen by running, so it is read.
 */
class PublicationSuite extends Suite {
  for (owner <- Seq[Class[?]](classOf[Response], classOf[Headers]))
    test(s"what is rendered of a ${owner.getSimpleName} that loops share is published by a volatile field") {
      val fields = owner.getDeclaredFields.filter(_.getType == classOf[Rendered])
      assertEquals(fields.length, 1)
      assert(Modifier.isVolatile(fields(0).getModifiers), fields(0).getName)
    }
}
