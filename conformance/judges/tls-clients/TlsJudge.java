import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * The JDK's HttpClient: PORT, the PORT that requires client certificates, those of a server whose certificate has expired
 * and of one whose is revoked, and the folder with the certificates. Prints what it says of what is refused.
 */
public class TlsJudge {
  static final List<String> VERSIONS = List.of("TLSv1.2", "TLSv1.3");
  static int port, clientsPort, oldPort, withdrawnPort;
  static Path folder;

  public static void main(String[] arguments) throws Exception {
    port = Integer.parseInt(arguments[0]);
    clientsPort = Integer.parseInt(arguments[1]);
    oldPort = Integer.parseInt(arguments[2]);
    withdrawnPort = Integer.parseInt(arguments[3]);
    folder = Path.of(arguments[4]);
    Path hosts = Files.writeString(folder.resolve("hosts"),
        "127.0.0.1 localhost shop.example a.shop.example a.b.shop.example other.example\n");
    System.setProperty("jdk.net.hosts.file", hosts.toString());
    versions();
    names();
    large();
    clientCertificates();
    serverCertificates();
    System.exit(0); // not when the clients' threads end
  }

  static X509Certificate certificate(String name) throws Exception {
    try (var in = Files.newInputStream(folder.resolve(name + ".pem"))) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  static PrivateKey key(String name) throws Exception {
    String text = Files.readString(folder.resolve(name + ".key")).replaceAll("-----[A-Z ]+-----", "");
    return KeyFactory.getInstance(name.equals("weak") ? "RSA" : "EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text)));
  }

  /** Shows its certificate to everybody: the JDK's own ones do not if another issuer is asked for. */
  static final class Shown extends X509ExtendedKeyManager {
    private final X509Certificate[] chain;
    private final PrivateKey key;

    Shown(String name) throws Exception {
      chain = new X509Certificate[] {certificate(name)};
      key = key(name);
    }

    @Override public String chooseEngineClientAlias(String[] kinds, Principal[] issuers, SSLEngine engine) { return "own"; }
    @Override public X509Certificate[] getCertificateChain(String alias) { return chain; }
    @Override public PrivateKey getPrivateKey(String alias) { return key; }
    @Override public String chooseClientAlias(String[] kinds, Principal[] issuers, Socket socket) { return "own"; }
    @Override public String[] getClientAliases(String kind, Principal[] issuers) { return new String[] {"own"}; }
    @Override public String chooseServerAlias(String kind, Principal[] issuers, Socket socket) { return null; }
    @Override public String[] getServerAliases(String kind, Principal[] issuers) { return null; }
  }

  static HttpClient client(String version, String own) throws Exception {
    return client(version, own, "ca", false);
  }

  static HttpClient client(String version, String own, String authority, boolean isRevoking) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", certificate(authority));
    var parameters = new PKIXBuilderParameters(trusted, new X509CertSelector());
    parameters.setRevocationEnabled(isRevoking);
    if (isRevoking)
      try (var in = Files.newInputStream(folder.resolve("ca.crl"))) {
        var lists = CertificateFactory.getInstance("X.509").generateCRLs(in);
        parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(lists)));
      }
    var trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(new CertPathTrustManagerParameters(parameters));
    var context = SSLContext.getInstance("TLS");
    KeyManager[] shown = own == null ? null : new KeyManager[] {new Shown(own)};
    context.init(shown, trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).connectTimeout(Duration.ofSeconds(20))
        .sslParameters(new SSLParameters(null, new String[] {version})).build();
  }

  static HttpRequest.Builder request(String host, int port, String path) {
    return HttpRequest.newBuilder(URI.create("https://" + host + ":" + port + path)).timeout(Duration.ofSeconds(30));
  }

  static void get(HttpClient by, String host, int port, String version) throws Exception {
    HttpResponse<String> answer = by.send(request(host, port, "/plaintext").build(), BodyHandlers.ofString());
    is(answer.body(), "Hello, World!");
    is(answer.version(), HttpClient.Version.HTTP_1_1);
    is(answer.sslSession().get().getProtocol(), version);
  }

  static void is(Object obtained, Object expected) {
    if (!obtained.equals(expected)) throw new AssertionError(obtained + " instead of " + expected);
  }

  static void versions() throws Exception {
    for (String version : VERSIONS) {
      HttpClient kept = client(version, null);
      for (int i = 0; i < 3; i++) get(kept, "localhost", port, version);
    }
  }

  static void names() throws Exception {
    for (String version : VERSIONS) {
      for (String name : List.of("shop.example", "a.shop.example")) get(client(version, null), name, port, version);
      for (String name : List.of("a.b.shop.example", "other.example"))
        refused("a name that no certificate has", client(version, null), name, port, version, "No subject alternative DNS name matching " + name);
    }
  }

  static void refused(String what, HttpClient by, String host, int port, String version, String... reasons)
      throws Exception {
    try {
      get(by, host, port, version);
    } catch (IOException error) {
      String said = "";
      for (Throwable each = error; each != null; each = each.getCause()) said += each + "; ";
      String all = said;
      if (Arrays.stream(reasons).noneMatch(all::contains)) throw new AssertionError(all, error);
      System.out.println(version + ", " + what + ": " + error.getMessage());
      return;
    }
    throw new AssertionError("accepted instead of " + Arrays.toString(reasons));
  }

  static void large() throws Exception {
    byte[] content = new byte[3_000_000];
    new Random(1).nextBytes(content);
    for (String version : VERSIONS) {
      var body = HttpRequest.BodyPublishers.ofByteArray(content);
      HttpRequest post = request("localhost", port, "/echo").POST(body).build();
      byte[] back = client(version, null).send(post, BodyHandlers.ofByteArray()).body();
      if (!Arrays.equals(back, content)) throw new AssertionError(back.length + " other bytes came back");
    }
  }

  /** Each is refused with the alert that says so, or with the one that the JDK's engine has for all of them. */
  static void clientCertificates() throws Exception {
    for (String version : VERSIONS) {
      get(client(version, "client"), "localhost", clientsPort, version);
      refused("client certificate: none", client(version, null), "localhost", clientsPort, version,
          "certificate_required", "bad_certificate", "handshake_failure");
      var alerts = Map.of("stranger", "unknown_ca", "expired", "certificate_expired", "revoked", "certificate_revoked",
          "weak", "bad_certificate");
      for (var each : alerts.entrySet())
        refused("client certificate: " + each.getKey(), client(version, each.getKey()), "localhost", clientsPort, version,
            each.getValue(), "certificate_unknown");
    }
  }

  static void serverCertificates() throws Exception {
    for (String version : VERSIONS) {
      get(client(version, null, "ca", true), "localhost", port, version);
      refused("server's certificate: expired", client(version, null), "localhost", oldPort, version, "CertificateExpired");
      refused("server's certificate: revoked", client(version, null, "ca", true), "localhost", withdrawnPort, version,
          "Certificate has been revoked");
      refused("server's certificate: unknown issuer", client(version, null, "others", false), "localhost", port, version,
          "unable to find valid certification path");
    }
  }
}
