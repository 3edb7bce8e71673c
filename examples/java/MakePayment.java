import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Makes a signed payment, as a TPP with mutual TLS (FAPI 2.0). Only classes of the JDK, which has
 * no JSON: your program will use a library in place of the method "text".
 *
 * <pre>./aldgate worlds open --json | java examples/java/MakePayment.java</pre>
 */
public class MakePayment {
  static final String CUSTOMER = "amara";
  static final String API = "/api/open-banking/v4.0/pisp";

  final String publicUrl;
  final String mtlsUrl;
  final String issuer;
  final HttpClient http;
  final String clientId;
  final String redirectUri;
  final String kid;
  final String signer;
  final PrivateKey signingKey;

  public static void main(String[] arguments) throws Exception {
    new MakePayment(new String(System.in.readAllBytes(), StandardCharsets.UTF_8)).run();
  }

  /** Registers a TPP at the world. */
  MakePayment(String world) throws Exception {
    publicUrl = text(world, "publicUrl");
    mtlsUrl = text(world, "mtlsUrl");
    issuer = text(world, "issuer");
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    String tpp =
        send(
            plain,
            json(publicUrl + "/sandbox/v1/tpps")
                .POST(
                    body(
                        """
                        {"name":"Java example","roles":["PISP"],"profile":"fapi2",
                         "redirectUris":["https://tpp.example/callback"],
                         "tokenEndpointAuthMethod":"tls_client_auth"}""")));
    clientId = text(tpp, "clientId");
    redirectUri = "https://tpp.example/callback";
    signer = text(tpp, "organisationId") + "/" + text(tpp, "softwareId");
    String signing = tpp.substring(tpp.indexOf("\"signing\""));
    kid = text(signing, "kid");
    signingKey = privateKey(text(signing, "privateKeyPem"));
    String transport = tpp.substring(tpp.indexOf("\"transport\""));
    SSLContext tls =
        context(
            privateKey(text(transport, "privateKeyPem")),
            certificate(text(transport, "certificatePem")),
            certificate(text(world, "caPem")));
    http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(tls).build();
  }

  void run() throws Exception {
    // the consent
    String initiation =
        """
        {"InstructionIdentification":"basket-7","EndToEndIdentification":"order-1234",
         "InstructedAmount":{"Amount":"12.50","Currency":"GBP"},
         "CreditorAccount":{"SchemeName":"UK.OBIE.SortCodeAccountNumber",
           "Identification":"20001512345678","Name":"The Corner Shop Limited"}}""";
    String token = token(Map.of("grant_type", "client_credentials", "scope", "payments"));
    String data = "{\"Data\":{%s\"Initiation\":" + initiation + "},\"Risk\":{}}";
    String consent = post("/domestic-payment-consents", token, data.formatted(""));
    String consentId = text(consent, "ConsentId");

    // the customer's approval: a pushed request, and the customer in a browser
    String verifier = UUID.randomUUID().toString() + UUID.randomUUID();
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(utf8(verifier));
    String claims =
        "{\"id_token\":{\"openbanking_intent_id\":{\"value\":\"%s\",\"essential\":true}}}";
    String pushed =
        form(
            "/request",
            Map.of(
                "client_id", clientId,
                "response_type", "code",
                "redirect_uri", redirectUri,
                "scope", "openid payments",
                "state", UUID.randomUUID().toString(),
                "nonce", UUID.randomUUID().toString(),
                "code_challenge", base64(digest),
                "code_challenge_method", "S256",
                "claims", claims.formatted(consentId)));
    Map<String, String> query =
        Map.of("client_id", clientId, "request_uri", text(pushed, "request_uri"));
    String code = codeIn(approve(issuer + "/auth?" + encoded(query)));

    // the payment
    String access =
        token(
            Map.of(
                "grant_type", "authorization_code",
                "code", code,
                "redirect_uri", redirectUri,
                "code_verifier", verifier));
    String named = "\"ConsentId\":\"" + consentId + "\",";
    String order = post("/domestic-payments", access, data.formatted(named));
    String id = text(order, "DomesticPaymentId");
    token = token(Map.of("grant_type", "client_credentials", "scope", "payments"));
    while (!List.of("ACCC", "ACWP", "RJCT").contains(text(order, "Status"))) {
      Thread.sleep(200);
      HttpRequest.Builder request = request(mtlsUrl + API + "/domestic-payments/" + id, token);
      order = send(http, request.GET());
    }
    System.out.println(id + " " + text(order, "Status"));
  }

  /** The sandbox plays the customer; otherwise you redirect the customer's browser to the URL. */
  String approve(String authorizationUrl) throws Exception {
    String decision =
        "{\"authorizationUrl\":\"%s\",\"customer\":\"%s\",\"decision\":\"approve\"}"
            .formatted(authorizationUrl, CUSTOMER);
    return text(
        send(http, json(publicUrl + "/sandbox/v1/authorisations").POST(body(decision))),
        "redirectUrl");
  }

  static String codeIn(String redirectUrl) {
    for (String pair : URI.create(redirectUrl).getRawQuery().split("&")) {
      if (pair.startsWith("code="))
        return URLDecoder.decode(pair.substring(5), StandardCharsets.UTF_8);
    }
    throw new IllegalStateException("the customer came back without a code: " + redirectUrl);
  }

  String token(Map<String, String> fields) throws Exception {
    Map<String, String> all = new java.util.HashMap<>(fields);
    all.put("client_id", clientId); // the certificate authenticates this TPP
    return text(form("/token", all), "access_token");
  }

  String form(String path, Map<String, String> fields) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(mtlsUrl + path))
            .header("Content-Type", "application/x-www-form-urlencoded");
    return send(http, request.POST(body(encoded(fields))));
  }

  /** Sends a signed request. */
  String post(String path, String token, String body) throws Exception {
    HttpRequest.Builder request =
        request(mtlsUrl + API + path, token)
            .header("Content-Type", "application/json")
            .header("x-idempotency-key", UUID.randomUUID().toString())
            .header("x-jws-signature", signature(body));
    return send(http, request.POST(body(body)));
  }

  /** The detached signature of exactly the bytes that are sent. */
  String signature(String body) throws Exception {
    String claim = "http://openbanking.org.uk/";
    String header =
        ("{\"alg\":\"PS256\",\"kid\":\"%1$s\",\"%2$siat\":%3$d,\"%2$siss\":\"%4$s\","
                + "\"%2$stan\":\"openbanking.org.uk\","
                + "\"crit\":[\"%2$siat\",\"%2$siss\",\"%2$stan\"]}")
            .formatted(kid, claim, Instant.now().getEpochSecond(), signer);
    String head = base64(utf8(header));
    Signature pss = Signature.getInstance("RSASSA-PSS");
    pss.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
    pss.initSign(signingKey);
    pss.update(utf8(head + "." + base64(utf8(body))));
    return head + ".." + base64(pss.sign());
  }

  static HttpRequest.Builder request(String url, String token) {
    return HttpRequest.newBuilder(URI.create(url))
        .header("Authorization", "Bearer " + token)
        .header("Accept", "application/json");
  }

  static HttpRequest.Builder json(String url) {
    return HttpRequest.newBuilder(URI.create(url)).header("Content-Type", "application/json");
  }

  static HttpRequest.BodyPublisher body(String text) {
    return HttpRequest.BodyPublishers.ofString(text);
  }

  static String send(HttpClient client, HttpRequest.Builder builder) throws Exception {
    HttpRequest request = builder.build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() < 300) return answer.body();
    throw new IllegalStateException(
        "%s %s was answered with %d: %s"
            .formatted(request.method(), request.uri(), answer.statusCode(), answer.body()));
  }

  static SSLContext context(PrivateKey key, Certificate own, Certificate root) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("tpp", key, new char[0], new Certificate[] {own});
    store.setCertificateEntry("bank", root);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  static PrivateKey privateKey(String pem) throws Exception {
    byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
  }

  static Certificate certificate(String pem) throws Exception {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    return factory.generateCertificate(new ByteArrayInputStream(utf8(pem)));
  }

  /** The first text with that name in a JSON text. */
  static String text(String json, String name) {
    String pattern = "\"" + name + "\"\\s*:\\s*\"((?:[^\"\\\\]++|\\\\.)*+)\"";
    Matcher found = Pattern.compile(pattern).matcher(json);
    if (!found.find()) throw new IllegalStateException("no member " + name + " in " + json);
    return found.group(1).replace("\\n", "\n").replace("\\/", "/").replace("\\\"", "\"");
  }

  static String encoded(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
