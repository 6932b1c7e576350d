package needletail.simulation.tls

import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path}

/**
 * Certificates for simulations, valid until 2126, all for one RSA key, which is of no use elsewhere. RSA, as its
 * signatures are of the same length each time; those by ECDSA are not, and a simulation could not be repeated.
 */
object TestKeys {

  /** PKCS #8 in PEM. */
  val key: String = """-----BEGIN PRIVATE KEY-----
    |MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDIDUGe1/HGI1eU
    |FSXFYPQ7/1ZHizIJSPvo0F8zOLRIU2zUMSF4vEJBVndc46SovJJRcRO2sbuhct4+
    |zrHAc21tUmEvFRQIP7rj+KP4c0jD/iXg15JH6B12Y7nyEwhRoTF5nA+I91R2TZ4k
    |aAaGWhqzU1zQ8ZZuz0qWwmI6vSvxczcSQFqVkLAwJRG6WPekSiP+ulbMBplb1STm
    |zqkfpODu112HBHobw0UeeaW9k1WznWBuo5HHRuReZL0xYvgGJFZvjpzBGkvlHBJr
    |zkE+Xbpc0WGRs2nI7xkkMrdw6zPzVDM9ieWM6U741VeRfzH96ab2vFEdeg3mZyOI
    |tAueF3kxAgMBAAECggEAB/O3nMs2g1rYH50H62oLSKTsRqZCvCnq8jTG3/1G9KFf
    |pVSkS7gSBdEHKB8Cu9QDw0R/KoczRJDmwtuKUcfU0ksQwrjFWymWByX/oJU2j9c2
    |+r0e8F2f6YWVIzP8o+qy0dkb/foKNl9R+V5VihAkA7un0sS+UdPKwiY3wOAlp8Xh
    |B2dufgI1rF7kVtCqfTIzLp2NBcI01kAUE2PP7jZVipZJtQV9RLTjswIILgCjfVni
    |o3b/5dwo2I1rNF54rgCaxu5w/xO9nlISSnTUSZDieQ+UBurs0aPZU00Uo7EsvDw9
    |V+5Mm/7PIJ/Wk9WAXUt8yxeI863W4KS/sqknq3CtZQKBgQD2Wer5dQMGrB86CIZQ
    |6bgndrq6e5QAGyG2m2KdP+ESQBP+LJns7xh1NGCgQQkNgYDe6HyfKWeJYx+gzWA6
    |kyLtfW34GQZM/onFJP1s3gB/e3r1CPXKwI/dAh+S6h0Lu2dkZPAG7dMsBgwInJML
    |UyFmpKleYMNLzLhTtN7uBA47jQKBgQDP4xvxZHyglwHI4n2DC8V3juEG7kMgCJKk
    |b5zScP9XhbpX/lfRrG9JWk6PUGsuNnKO50UKMuJbYNrCFebom8R/E9QuKIBJJ0/3
    |nZ/9hUnTf3sWEM6++Nhni5Wb/tGWWKrnBR6UGJiu/SQKVu4lZKxiGeF7S1LFjsyk
    |3CBKwV35NQKBgQDgkmGo3GlQyNGClsjSs+yjVRGt8/+cBR+7lnTUQqpLd8yB9Wiw
    |W9mg5ol7LS4yeK7hBXCtqxHuZUUs0mv5ma3Kb4AzHaTnxVYUOL8pYktz6z3QaEWg
    |ed/rqgbcZ7zouALtuzIwLtdFl5GavBkzxql5J3waQ/1keRBDhmt+8IWE9QKBgQCt
    |bdhX7+8QwinY/yqacu2QKoCMmaUiSkScLgj0fxRmXcfxtNxqraJB3bcAVKS17vJv
    |SX0NXxn8Bbc6h68Viy3InjA7OcqcPNG3z6YziEjoysdSxz7TjyJqb8amV1VeSiZ5
    |iInUHxjxk3nHrnIKfAxb4x97DoHFErajKok+FEdjqQKBgQDt+oiOMzHioT4QUCTF
    |z27xkDu7xNQowwhqSUp0q5VMHM7QWP2VeAQuKt/rWOC0h/hXGPf8bLT0s3aWlpRY
    |86V4L9EF+iWnDlxLe3xf8h3LtBdxAxD9QtmjgPu94Bhz/6Au7yUU1wqClwm6ZFEC
    |yocYWh/bjaisjjXc4f+lO24Lww==
    |-----END PRIVATE KEY-----
    |""".stripMargin

  /** The issuer of those that follow, but for the last. */
  val authority: String = """-----BEGIN CERTIFICATE-----
    |MIIC+DCCAeCgAwIBAgIBATANBgkqhkiG9w0BAQsFADAUMRIwEAYDVQQDDAlhdXRo
    |b3JpdHkwIBcNMjYxMTI0MTAxNzU3WhgPMjEyNjEwMzExMDE3NTdaMBQxEjAQBgNV
    |BAMMCWF1dGhvcml0eTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAMgN
    |QZ7X8cYjV5QVJcVg9Dv/VkeLMglI++jQXzM4tEhTbNQxIXi8QkFWd1zjpKi8klFx
    |E7axu6Fy3j7OscBzbW1SYS8VFAg/uuP4o/hzSMP+JeDXkkfoHXZjufITCFGhMXmc
    |D4j3VHZNniRoBoZaGrNTXNDxlm7PSpbCYjq9K/FzNxJAWpWQsDAlEbpY96RKI/66
    |VswGmVvVJObOqR+k4O7XXYcEehvDRR55pb2TVbOdYG6jkcdG5F5kvTFi+AYkVm+O
    |nMEaS+UcEmvOQT5dulzRYZGzacjvGSQyt3DrM/NUMz2J5YzpTvjVV5F/Mf3ppva8
    |UR16DeZnI4i0C54XeTECAwEAAaNTMFEwHQYDVR0OBBYEFCmuhhUBB9ST7ILgHg6o
    |UmF2NpOqMB8GA1UdIwQYMBaAFCmuhhUBB9ST7ILgHg6oUmF2NpOqMA8GA1UdEwEB
    |/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEBAH7I2afGu6mCiENT57DcSJ8VZsB3
    |8+vlsE+u2wPmdu+2zoZoOXmgHYffu04aAyS1uON1B+FYdf4LU45N+vH9Wese4qz3
    |tQwFeT3DVZGSsCSLFx0g43Vly9EhYNDEJb7TeyaY7N5/Z3wPyW7uKY+3+afUg63A
    |NXmYcY2lwEy8JpiQhhhdPEenGZISynV2n3PDIwZ1/hPGvGcyDbwKCFv5eNXMM6UV
    |R7BXK+YOvXnezwJevor317eQ3D4/6bKlStY5RF7atf93wdqPLpxZf9HSR94P427K
    |rDVlQxFD+bAq7DKWhJBjwvynuVUNCLwbxFYMyD573Z3YQoNM7nZQ9wTMrLg=
    |-----END CERTIFICATE-----
    |""".stripMargin

  /** A server's, for localhost and 127.0.0.1. */
  val one: String = """-----BEGIN CERTIFICATE-----
    |MIIC6zCCAdOgAwIBAgICaIYwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJYXV0
    |aG9yaXR5MCAXDTI2MTEyNDEwMTc1OFoYDzIxMjYxMDMxMTAxNzU4WjAOMQwwCgYD
    |VQQDDANvbmUwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDIDUGe1/HG
    |I1eUFSXFYPQ7/1ZHizIJSPvo0F8zOLRIU2zUMSF4vEJBVndc46SovJJRcRO2sbuh
    |ct4+zrHAc21tUmEvFRQIP7rj+KP4c0jD/iXg15JH6B12Y7nyEwhRoTF5nA+I91R2
    |TZ4kaAaGWhqzU1zQ8ZZuz0qWwmI6vSvxczcSQFqVkLAwJRG6WPekSiP+ulbMBplb
    |1STmzqkfpODu112HBHobw0UeeaW9k1WznWBuo5HHRuReZL0xYvgGJFZvjpzBGkvl
    |HBJrzkE+Xbpc0WGRs2nI7xkkMrdw6zPzVDM9ieWM6U741VeRfzH96ab2vFEdeg3m
    |ZyOItAueF3kxAgMBAAGjSzBJMAwGA1UdEwEB/wQCMAAwGgYDVR0RBBMwEYIJbG9j
    |YWxob3N0hwR/AAABMB0GA1UdDgQWBBQproYVAQfUk+yC4B4OqFJhdjaTqjANBgkq
    |hkiG9w0BAQsFAAOCAQEAPRLGVPhj9A+TJQVTD4HaT2sIpRshDOfjJ/gRwUQ6DUCX
    |zTU5wQ1wPy5WqtsRLasjs5isdF4bXynD7j/Xyvmt94moZS9rTjkhk9HNyEZlkQU8
    |Rpg5bGS1vt9LCnHbUZCab4uGVZJIAvjxXc8qq/ZNX8/zBCLViNdmmkh9JlA0ZT7T
    |zvVQFigZWo2GxFyh8nSfLO0yd2sdvC/GE/GyNHZ4c7/D3glIjcW0LaiXh2zMoLet
    |m/hAYeCgEgi8NhEXzr/cWVER/z0GTPvPQo+HAl080iJlLr2HQBJ9wqiB/0Vjdu8L
    |l9Syw/wUfL3JLBRTgM07A/X2FvTh7vgr7xGO8V5zoA==
    |-----END CERTIFICATE-----
    |""".stripMargin

  /** A server's, for two.example. */
  val two: String = """-----BEGIN CERTIFICATE-----
    |MIIC5zCCAc+gAwIBAgICHSQwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJYXV0
    |aG9yaXR5MCAXDTI2MTEyNDEwMTc1OFoYDzIxMjYxMDMxMTAxNzU4WjAOMQwwCgYD
    |VQQDDAN0d28wggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDIDUGe1/HG
    |I1eUFSXFYPQ7/1ZHizIJSPvo0F8zOLRIU2zUMSF4vEJBVndc46SovJJRcRO2sbuh
    |ct4+zrHAc21tUmEvFRQIP7rj+KP4c0jD/iXg15JH6B12Y7nyEwhRoTF5nA+I91R2
    |TZ4kaAaGWhqzU1zQ8ZZuz0qWwmI6vSvxczcSQFqVkLAwJRG6WPekSiP+ulbMBplb
    |1STmzqkfpODu112HBHobw0UeeaW9k1WznWBuo5HHRuReZL0xYvgGJFZvjpzBGkvl
    |HBJrzkE+Xbpc0WGRs2nI7xkkMrdw6zPzVDM9ieWM6U741VeRfzH96ab2vFEdeg3m
    |ZyOItAueF3kxAgMBAAGjRzBFMAwGA1UdEwEB/wQCMAAwFgYDVR0RBA8wDYILdHdv
    |LmV4YW1wbGUwHQYDVR0OBBYEFCmuhhUBB9ST7ILgHg6oUmF2NpOqMA0GCSqGSIb3
    |DQEBCwUAA4IBAQC9Urs7j6s5dtZGddmyVIXk2FiLhhOi22bDywjRSvfoopYxDQ19
    |NA8gqD6L8kSK/AqG7vqM4YcnHS1hBr+g/oNcQyZiH79Sr5O5dMEw0Wc4ZeyCBAVo
    |HVkFlEbAGmsGtdA0CJyqBAx+Psr8R4wJMIbwAL+HZnpIibD6AAQ25cdvait7+RoO
    |ZEdHBxw1D+7kQTusgutBgr7xf+mbQeAsnQflNqidSqL2ssWrJd7tMLBbaQkdG2Fg
    |bjYRG7CmMbEzTvm1ZKqygMG/5Mc7JD17gq807UaOxolT9VNdBLJDjFfyKZY6j+NO
    |OsLtzy+Iph/iTT9LuAuiTqT8ICgw3gKdBj/n
    |-----END CERTIFICATE-----
    |""".stripMargin

  /** A client's. */
  val ann: String = """-----BEGIN CERTIFICATE-----
    |MIIC5zCCAc+gAwIBAgICKK8wDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJYXV0
    |aG9yaXR5MCAXDTI2MTEyNDEwMTc1OFoYDzIxMjYxMDMxMTAxNzU4WjAOMQwwCgYD
    |VQQDDANhbm4wggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDIDUGe1/HG
    |I1eUFSXFYPQ7/1ZHizIJSPvo0F8zOLRIU2zUMSF4vEJBVndc46SovJJRcRO2sbuh
    |ct4+zrHAc21tUmEvFRQIP7rj+KP4c0jD/iXg15JH6B12Y7nyEwhRoTF5nA+I91R2
    |TZ4kaAaGWhqzU1zQ8ZZuz0qWwmI6vSvxczcSQFqVkLAwJRG6WPekSiP+ulbMBplb
    |1STmzqkfpODu112HBHobw0UeeaW9k1WznWBuo5HHRuReZL0xYvgGJFZvjpzBGkvl
    |HBJrzkE+Xbpc0WGRs2nI7xkkMrdw6zPzVDM9ieWM6U741VeRfzH96ab2vFEdeg3m
    |ZyOItAueF3kxAgMBAAGjRzBFMAwGA1UdEwEB/wQCMAAwFgYDVR0RBA8wDYILYW5u
    |LmV4YW1wbGUwHQYDVR0OBBYEFCmuhhUBB9ST7ILgHg6oUmF2NpOqMA0GCSqGSIb3
    |DQEBCwUAA4IBAQB5lR22xhEQQHJb1VaPQxqeOsHxR3DKXO1shMKOG/D4b4ea9V/t
    |TbozysjWQSGpZZbdxG62HV9xLQ5g0c3o5szExrB7IIaGxbKoy5apC+TwhBJv01r1
    |NYFz3In6tKQvhQZ5jBU9glGRhnmqTjt4ot5UUbXh0MyMTcAmF0bEqa0mJHkDTmXu
    |SHo0xAkNtbuZvhbZREJSda4bSv5yq9oq10S475OIPf22hHOookidUlaaw7nifP18
    |1ncxdMyT1yPeVT3I5NyTrEIAr81K7Tz1w9xdpangGoeyizOsYplzpBMr1Wzmtz41
    |Ywn+J9aZCv+sTa/u/c3v2r7LpFSm3Rsm1Lc7
    |-----END CERTIFICATE-----
    |""".stripMargin

  /** A client's. */
  val bob: String = """-----BEGIN CERTIFICATE-----
    |MIIC5zCCAc+gAwIBAgICEyswDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJYXV0
    |aG9yaXR5MCAXDTI2MTEyNDEwMTc1OFoYDzIxMjYxMDMxMTAxNzU4WjAOMQwwCgYD
    |VQQDDANib2IwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDIDUGe1/HG
    |I1eUFSXFYPQ7/1ZHizIJSPvo0F8zOLRIU2zUMSF4vEJBVndc46SovJJRcRO2sbuh
    |ct4+zrHAc21tUmEvFRQIP7rj+KP4c0jD/iXg15JH6B12Y7nyEwhRoTF5nA+I91R2
    |TZ4kaAaGWhqzU1zQ8ZZuz0qWwmI6vSvxczcSQFqVkLAwJRG6WPekSiP+ulbMBplb
    |1STmzqkfpODu112HBHobw0UeeaW9k1WznWBuo5HHRuReZL0xYvgGJFZvjpzBGkvl
    |HBJrzkE+Xbpc0WGRs2nI7xkkMrdw6zPzVDM9ieWM6U741VeRfzH96ab2vFEdeg3m
    |ZyOItAueF3kxAgMBAAGjRzBFMAwGA1UdEwEB/wQCMAAwFgYDVR0RBA8wDYILYm9i
    |LmV4YW1wbGUwHQYDVR0OBBYEFCmuhhUBB9ST7ILgHg6oUmF2NpOqMA0GCSqGSIb3
    |DQEBCwUAA4IBAQCzMermtrtDThMljAYYg6IyN21ONd7zd8kCre3e8CQeVkzIGblf
    |1zDa1QzucYDX0aLTgBsdlsf8fITVBtpqq3ipthQmhR/7tCWm52w7ZLJPyU1XSJR9
    |oiihG4CAuDhiUGU7bcp3W33JrvzGJDoT+SAYTWNVdIuCQU02MO6W22OySuZENf9Y
    |2sIfw3TFok9aXy0dFwnFKW2fStXtWmrwWJbxzPFnz2OefQg6YOFkWrTkceO5UlGg
    |xIc4BvWsHg5MDpSLVzsrIRhSfPluigOw/nz+FAXvOyegQNKziq/HAhBqoRD5yZJc
    |JNw6pmBtz7oWIL3qwcfykRWy2QHLDep/Tu/9
    |-----END CERTIFICATE-----
    |""".stripMargin

  /** A client's, which it has issued itself. */
  val eve: String = """-----BEGIN CERTIFICATE-----
    |MIIC7DCCAdSgAwIBAgIBBzANBgkqhkiG9w0BAQsFADAOMQwwCgYDVQQDDANldmUw
    |IBcNMjYxMTI0MTAxNzU4WhgPMjEyNjEwMzExMDE3NThaMA4xDDAKBgNVBAMMA2V2
    |ZTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAMgNQZ7X8cYjV5QVJcVg
    |9Dv/VkeLMglI++jQXzM4tEhTbNQxIXi8QkFWd1zjpKi8klFxE7axu6Fy3j7OscBz
    |bW1SYS8VFAg/uuP4o/hzSMP+JeDXkkfoHXZjufITCFGhMXmcD4j3VHZNniRoBoZa
    |GrNTXNDxlm7PSpbCYjq9K/FzNxJAWpWQsDAlEbpY96RKI/66VswGmVvVJObOqR+k
    |4O7XXYcEehvDRR55pb2TVbOdYG6jkcdG5F5kvTFi+AYkVm+OnMEaS+UcEmvOQT5d
    |ulzRYZGzacjvGSQyt3DrM/NUMz2J5YzpTvjVV5F/Mf3ppva8UR16DeZnI4i0C54X
    |eTECAwEAAaNTMFEwHQYDVR0OBBYEFCmuhhUBB9ST7ILgHg6oUmF2NpOqMB8GA1Ud
    |IwQYMBaAFCmuhhUBB9ST7ILgHg6oUmF2NpOqMA8GA1UdEwEB/wQFMAMBAf8wDQYJ
    |KoZIhvcNAQELBQADggEBAIBsj+9L0NEvMoWyS2QGiXCIhJcq9YBPfWyjGyQPLa/S
    |W/Su+Hs19N9k/wr6FHeIQCY76U1kFaqSYawj5o0fVihHtytuFXFgmRFbBsLvP0Ze
    |A6GfhKhO+dHcaE/whrLC85TTGtwrj5qzdPGnycXZMOH7gJMOu4tjfi3G10nCZ7Pm
    |qQylSHRwkrKxrwA5/jYZEDvuQ5sGMDz7bFnOVYSpujP3gA8q8lWEd+g8DWoEJMBC
    |X4/j78QHbhYqy7IhngeAzV/lRFy5Koff+//Ug+G3/EqlzQelrtj3Os1QGMzm3va7
    |xnSx3ml8wo9WbaJecBbqy3uuqdR4Gc0PHplCo0GsBvY=
    |-----END CERTIFICATE-----
    |""".stripMargin

  /** A file with that text, written once for the whole program. */
  def file(text: String): Path = synchronized {
    files.getOrElseUpdate(
      text, {
        val made = Files.createTempFile("simulation", ".pem")
        made.toFile.deleteOnExit()
        Files.write(made, text.getBytes(US_ASCII))
      }
    )
  }
  private val files = scala.collection.mutable.Map.empty[String, Path]
}
