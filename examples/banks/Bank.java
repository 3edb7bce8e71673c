// A bank's core for Aldgate, in one file. It needs Java 17 or later, and no packages.
//
// java examples/banks/Bank.java 9090 bank.log
// ALDGATE_DATA=./data-java ./aldgate start --bank http://127.0.0.1:9090

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.function.Function;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

public class Bank {
  static final Map<String, Object> ABOUT =
      object(
          "contract", 1,
          "name", "Sample bank in Java",
          "parts", List.of("account-access", "balances", "transactions", "domestic-payment"),
          "operations", List.of("readChanges", "listTestCustomers", "readTestCode"));

  // Replace what follows by your own customers and accounts.
  static final String SORT_CODE = "001900"; // no real sort code begins with 00
  static final String OPENED = "2026-01-05T09:00:00Z";
  static final String TEST_CODE = "123456";
  static final List<Customer> CUSTOMERS =
      List.of(
          new Customer("cus-nia", "nia", "Nia Hughes", "nia's password"),
          new Customer("cus-tom", "tom", "Tom Byrne", "tom's password"));
  static final List<Account> ACCOUNTS =
      List.of(
          new Account("acc-nia", "10000001", "Enabled", "Nia Hughes", 100_000, "cus-nia"),
          new Account("acc-joint", "10000002", "Enabled", "Nia Hughes and Tom Byrne", 25_000,
              "cus-nia", "cus-tom"),
          new Account("acc-blocked", "10000003", "Disabled", "Nia Hughes", 5_000, "cus-nia"),
          new Account("acc-tom", "10000004", "Enabled", "Tom Byrne", 50_000, "cus-tom"));

  static final Map<String, String> REASONS = // of ISO 20022
      Map.of(
          "AC01", "IncorrectAccountNumber",
          "AC02", "InvalidDebtorAccountNumber",
          "AC03", "InvalidCreditorAccountNumber",
          "AC06", "BlockedAccount",
          "AG01", "TransactionForbidden",
          "AM03", "NotAllowedCurrency",
          "AM04", "InsufficientFunds",
          "MS03", "NotSpecifiedReasonAgentGenerated");

  record Customer(String id, String login, String name, String testPassword) {
    Map<String, Object> json() {
      return object("customerId", id, "login", login, "name", name);
    }
  }

  record Account(
      String id, String number, String status, String holderName, long opening, String... holders) {
    boolean isOf(String customerId) {
      return List.of(holders).contains(customerId);
    }

    Map<String, Object> json() {
      return object(
          "accountId", id,
          "accountType", "Personal",
          "accountSubType", "CurrentAccount",
          "currency", "GBP",
          "nickname", null,
          "holderName", holderName,
          "sortCodeAccountNumber", SORT_CODE + number,
          "iban", null,
          "maskedPan", null,
          "signatoriesRequired", 1,
          "status", status);
    }

    Map<String, Object> funds() {
      return object(
          "booked", decimalOf(BOOKED.get(id)), "available", decimalOf(available()),
          "currency", "GBP");
    }

    long available() {
      return BOOKED.get(id) - HELD.getOrDefault(id, 0L);
    }
  }

  /** A payment as it is now. Its state is reserved, settled or refused. */
  record Payment(
      String id, String debtor, String payee, long pence, long charge, String reference,
      String state, String reason, String at) {
    Payment with(String state, String reason) {
      return new Payment(id, debtor, payee, pence, charge, reference, state, reason, now());
    }

    long total() {
      return pence + charge;
    }

    Map<String, Object> json() {
      return object(
          "id", id, "debtor", debtor, "payee", payee, "pence", pence, "charge", charge,
          "reference", reference, "state", state, "reason", reason, "at", at);
    }
  }

  record Entry(int seq, String account, long pence, String at, String text, String payment) {}

  record Challenge(Instant until, int tries) {}

  /** A request that does not fit the contract. The message has no customer's data. */
  static class Wrong extends RuntimeException {
    Wrong(String message) {
      super(message);
    }
  }

  // The books. Each change of a payment is a line of the file, and is never deleted, because a
  // payment's id must be recognised for ever. What is in memory follows from the lines.

  static final Map<String, Payment> PAYMENTS = new HashMap<>();
  static final List<Entry> ENTRIES = new ArrayList<>();
  static final Map<String, Long> BOOKED = new HashMap<>();
  static final Map<String, Long> HELD = new HashMap<>();
  static final Map<String, Integer> NEWEST = new HashMap<>();
  static final StringBuilder UNSAVED = new StringBuilder();
  static FileChannel file;

  static void open(Path path) throws IOException {
    for (Account one : ACCOUNTS) book(one.id(), one.opening(), OPENED, "Opening deposit", null);
    file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    // two cores would each know only their own payments; the lock ends with the process
    if (file.tryLock() == null) throw new IOException("another core is using " + path);
    // through the same channel, because the lock ends when any other one to the file is closed
    String text = new String(Channels.newInputStream(file).readAllBytes(), UTF_8);
    String whole = text.substring(0, text.lastIndexOf('\n') + 1); // a crash may have cut a line
    for (String line : whole.lines().toList()) {
      Object row = Json.read(line);
      apply(
          new Payment(
              text(row, "id"), text(row, "debtor"), (String) member(row, "payee"),
              ((BigDecimal) member(row, "pence")).longValueExact(),
              ((BigDecimal) member(row, "charge")).longValueExact(),
              text(row, "reference"), text(row, "state"), (String) member(row, "reason"),
              text(row, "at")));
    }
    file.truncate(whole.getBytes(UTF_8).length).position(file.size());
  }

  static void change(Payment next) {
    apply(next);
    UNSAVED.append(Json.write(next.json())).append('\n');
  }

  static void apply(Payment next) {
    Payment before = PAYMENTS.put(next.id(), next);
    if (before != null) HELD.merge(before.debtor(), -before.total(), Long::sum);
    if (next.state().equals("reserved")) HELD.merge(next.debtor(), next.total(), Long::sum);
    if (!next.state().equals("settled")) return;
    book(next.debtor(), -next.total(), next.at(), next.reference(), next.id());
    if (next.payee() != null) {
      book(next.payee(), next.pence(), next.at(), next.reference(), next.id());
    }
  }

  static void book(String account, long pence, String at, String text, String payment) {
    ENTRIES.add(new Entry(ENTRIES.size() + 1, account, pence, at, text, payment));
    BOOKED.merge(account, pence, Long::sum);
    NEWEST.put(account, ENTRIES.size());
  }

  /** Writes the changes to the disk, before they are answered. */
  static void save() {
    if (UNSAVED.isEmpty()) return;
    try {
      ByteBuffer bytes = ByteBuffer.wrap(UNSAVED.toString().getBytes(UTF_8));
      while (bytes.hasRemaining()) file.write(bytes);
      file.force(false);
      UNSAVED.setLength(0);
    } catch (IOException error) {
      System.err.println("the file cannot be written");
      Runtime.getRuntime().halt(1); // what is in memory is not on the disk
    }
  }

  // Customers: login, password and second factor

  static final Map<String, Challenge> CHALLENGES = new HashMap<>();
  static final Map<String, byte[]> HASHES = new HashMap<>();

  static byte[] hashOf(String login, String password) {
    try {
      byte[] salt = ("aldgate " + login).getBytes(UTF_8);
      PBEKeySpec key = new PBEKeySpec(password.toCharArray(), salt, 100_000, 256);
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(key).getEncoded();
    } catch (java.security.GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  static Object authenticate(String login, String password) {
    // an unknown login takes the same time as a wrong password
    boolean isRight =
        MessageDigest.isEqual(hashOf(login, password), HASHES.getOrDefault(login, new byte[32]));
    return object("customer", isRight ? customer(one -> one.login().equals(login)) : null);
  }

  static Object customer(java.util.function.Predicate<Customer> isWanted) {
    return CUSTOMERS.stream().filter(isWanted).findFirst().map(Customer::json).orElse(null);
  }

  static Object challenge(String customerId) {
    if (customer(one -> one.id().equals(customerId)) == null) {
      throw new Wrong("there is no such customer");
    }
    // A real core sends a code here, with the amount and the payee of the subject.
    Instant until = Instant.now().plus(5, ChronoUnit.MINUTES).truncatedTo(ChronoUnit.MILLIS);
    String challengeId = UUID.randomUUID().toString();
    CHALLENGES.values().removeIf(one -> one.until().isBefore(Instant.now()));
    CHALLENGES.put(challengeId, new Challenge(until, 3));
    return object("challengeId", challengeId, "method", "code", "expiresAt", until.toString());
  }

  static Object verify(String challengeId, String code) {
    Challenge found = CHALLENGES.remove(challengeId);
    if (found == null || found.tries() == 0 || found.until().isBefore(Instant.now())) {
      return object("isRight", false);
    }
    boolean isRight = code.equals(TEST_CODE);
    if (!isRight) CHALLENGES.put(challengeId, new Challenge(found.until(), found.tries() - 1));
    return object("isRight", isRight);
  }

  // Accounts and balances

  static Account account(String id) {
    return ACCOUNTS.stream().filter(one -> one.id().equals(id)).findFirst().orElse(null);
  }

  static Account numbered(String schemeName, String number) {
    if (!schemeName.equals("UK.OBIE.SortCodeAccountNumber")) return null;
    return ACCOUNTS.stream()
        .filter(one -> number.equals(SORT_CODE + one.number()))
        .findFirst()
        .orElse(null);
  }

  static Object jsonOf(Account account) {
    return object("account", account == null ? null : account.json());
  }

  static Object listAccounts(String customerId, boolean withFunds) {
    List<Object> found = new ArrayList<>();
    for (Account one : ACCOUNTS) {
      if (!one.isOf(customerId)) continue;
      Map<String, Object> json = one.json();
      if (withFunds) json.put("funds", one.funds());
      found.add(json);
    }
    return object("accounts", found);
  }

  static Object loadFunds(List<String> accountIds) {
    List<Account> known = ACCOUNTS.stream().filter(one -> accountIds.contains(one.id())).toList();
    return object(
        "accounts",
        known.stream().map(one -> object("accountId", one.id(), "funds", one.funds())).toList());
  }

  static Object confirmFunds(String accountId, Object amount) {
    Long pence = penceOf(amount);
    Account found = account(accountId);
    boolean isOpen = found != null && found.status().equals("Enabled");
    return object("isCovered", isOpen && pence != null && found.available() >= pence);
  }

  // Payments: each is made at most once, whatever arrives how often

  static Object outcomes(List<String> ids) {
    return object("outcomes", ids.stream().map(Bank::outcome).toList());
  }

  static Object outcome(String id) {
    Payment found = PAYMENTS.get(id);
    if (found == null) return object("paymentId", id, "state", "unknown");
    Map<String, Object> outcome = object("paymentId", id, "state", found.state());
    if (found.state().equals("settled")) outcome.put("posted", true);
    if (found.reason() != null) {
      outcome.put("reason", object("code", found.reason(), "text", REASONS.get(found.reason())));
    }
    return outcome;
  }

  static Object reserve(List<Object> payments) {
    // all are read before the first is stored, because a wrong one refuses the call
    List<Payment> asked = payments.stream().map(Bank::readPayment).toList();
    for (Payment one : asked) {
      if (PAYMENTS.containsKey(one.id())) continue;
      String reason = refusalOf(one);
      change(one.with(reason == null ? "reserved" : "refused", reason));
    }
    return outcomes(asked.stream().map(Payment::id).toList());
  }

  static Payment readPayment(Object given) {
    Object creditor = member(given, "creditor");
    String number = text(creditor, "identification");
    Account payee = numbered(text(creditor, "schemeName"), number);
    Long pence = penceOf(member(given, "amount"));
    Object charged = member(given, "charge");
    Long charge = charged == null ? Long.valueOf(0) : penceOf(charged);
    Object reference = member(given, "reference");
    String reason = null;
    if (pence == null || charge == null) reason = "AM03";
    else if (member(given, "international") != null) reason = "AG01";
    else if (payee == null && number.startsWith(SORT_CODE)) reason = "AC01";
    return new Payment(
        text(given, "paymentId"), text(given, "debtorAccountId"),
        payee == null ? null : payee.id(), pence == null ? 0 : pence, charge == null ? 0 : charge,
        reference == null ? "" : text(given, "reference"), "new", reason, now());
  }

  /** Returns why a payment cannot be made, or null. */
  static String refusalOf(Payment payment) {
    Account debtor = account(payment.debtor());
    if (debtor == null) return "AC02";
    if (!debtor.status().equals("Enabled")) return "AC06";
    if (payment.reason() != null) return payment.reason();
    if (debtor.id().equals(payment.payee())) return "AC03";
    return debtor.available() < payment.total() ? "AM04" : null;
  }

  static Object execute(List<Object> payments) {
    List<String> ids = payments.stream().map(one -> text(one, "paymentId")).toList();
    for (String id : ids) {
      Payment found = PAYMENTS.get(id);
      if (found == null || !found.state().equals("reserved")) continue;
      // A real core sends payments to other banks to the payment scheme, and answers `pending`.
      change(found.with("settled", null));
    }
    return outcomes(ids);
  }

  static Object release(List<String> ids) {
    for (String id : ids) {
      Payment found = PAYMENTS.get(id);
      if (found != null && found.state().equals("reserved")) change(found.with("refused", "MS03"));
    }
    return object();
  }

  // Account data: the cursor is the number of the last entry that was sent

  static Object readChanges(Map<String, String> query) {
    String after = query.get("after");
    int start = number(after == null ? "0" : after, "after is not a cursor of this core");
    int limit = number(query.getOrDefault("limit", "500"), "limit must be a number");
    if (start > ENTRIES.size()) throw new Wrong("after is not a cursor of this core");
    if (limit == 0) throw new Wrong("limit must be a number");
    int end = (int) Math.min((long) start + limit, ENTRIES.size());
    Map<String, Object> position = object("cursor", String.valueOf(end));
    if (end == ENTRIES.size()) position.put("deliveredUpTo", now());
    Map<String, Object> changes = after == null ? firstFacts() : object();
    List<Entry> entries = ENTRIES.subList(start, end);
    changes.put("transactions", entries.stream().map(Bank::transaction).toList());
    changes.put(
        "balances",
        ACCOUNTS.stream()
            .filter(one -> NEWEST.get(one.id()) > start && NEWEST.get(one.id()) <= end)
            .map(one -> balance(one.id(), ENTRIES.get(NEWEST.get(one.id()) - 1)))
            .toList());
    changes.put("position", position);
    return changes;
  }

  static Map<String, Object> firstFacts() {
    List<Object> accounts = new ArrayList<>();
    List<Object> holders = new ArrayList<>();
    List<Object> delivered = new ArrayList<>();
    for (Account one : ACCOUNTS) {
      Map<String, Object> account = one.json();
      account.putAll(
          object(
              "version", 1, "openedOn", OPENED.substring(0, 10), "statusUpdatedAt", OPENED,
              "isSwitched", false, "statementDeliveries", List.of()));
      accounts.add(account);
      for (String customerId : one.holders()) {
        holders.add(
            object(
                "version", 1, "accountId", one.id(), "customerId", customerId,
                "role", one.holders().length == 1 ? "owner" : "joint"));
      }
      for (String cluster : List.of("account", "balances", "transactions")) {
        delivered.add(object("accountId", one.id(), "cluster", cluster, "asOf", OPENED));
      }
    }
    return object("accounts", accounts, "holders", holders, "delivered", delivered);
  }

  static Object transaction(Entry entry) {
    return object(
        "version", entry.seq(),
        "accountId", entry.account(),
        "transactionId", "entry-" + entry.seq(),
        "indicator", entry.pence() < 0 ? "Debit" : "Credit",
        "status", "Booked",
        "bookedAt", entry.at(),
        "amount", object("amountMinor", Math.abs(entry.pence()), "currency", "GBP"),
        "information", entry.text(),
        "bookingId", entry.payment());
  }

  static Object balance(String accountId, Entry newest) {
    return object(
        "version", newest.seq(),
        "accountId", accountId,
        "currency", "GBP",
        "statedAt", newest.at(),
        "balances", List.of(object("type", "InterimBooked", "amountMinor", BOOKED.get(accountId))));
  }

  // What requests have

  static String now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
  }

  static Map<String, Object> object(Object... pairs) {
    Map<String, Object> made = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) made.put((String) pairs[i], pairs[i + 1]);
    return made;
  }

  static Object member(Object given, String name) {
    return given instanceof Map<?, ?> map ? map.get(name) : null;
  }

  static String text(Object given, String name) {
    if (member(given, name) instanceof String text) return text;
    throw new Wrong(name + " must be a text");
  }

  static List<Object> list(Object given, String name) {
    if (member(given, name) instanceof List<?> list) return new ArrayList<>(list);
    throw new Wrong(name + " must be a list");
  }

  static List<String> texts(Object given, String name) {
    return list(given, name).stream().map(one -> text(object(name, one), name)).toList();
  }

  static int number(String text, String fault) {
    if (text.matches("[0-9]{1,9}")) return Integer.parseInt(text);
    throw new Wrong(fault);
  }

  /** Returns an amount in pence, or null if it is in another currency. */
  static Long penceOf(Object money) {
    String amount = text(money, "amount");
    if (!text(money, "currency").equals("GBP")) return null;
    if (amount.matches("[0-9]{1,13}([.][0-9]{1,2})?")) {
      return new BigDecimal(amount).movePointRight(2).longValueExact();
    }
    throw new Wrong("amount must be a decimal such as 12.34");
  }

  static String decimalOf(long pence) {
    return BigDecimal.valueOf(pence, 2).toPlainString();
  }

  // HTTP: each operation has a path and a function of the body

  static final Map<String, Function<Object, Object>> OPERATIONS = new HashMap<>();

  static {
    OPERATIONS.put("/customers/authenticate",
        body -> authenticate(text(body, "login"), text(body, "password")));
    OPERATIONS.put("/customers/read", body -> {
      String id = text(body, "customerId");
      return object("customer", customer(one -> one.id().equals(id)));
    });
    OPERATIONS.put("/customers/accounts",
        body -> listAccounts(text(body, "customerId"),
            Boolean.TRUE.equals(member(member(body, "wanted"), "funds"))));
    OPERATIONS.put("/challenges/start", body -> challenge(text(body, "customerId")));
    OPERATIONS.put("/challenges/verify",
        body -> verify(text(body, "challengeId"), text(body, "code")));
    OPERATIONS.put("/accounts/read", body -> jsonOf(account(text(body, "accountId"))));
    OPERATIONS.put("/accounts/find",
        body -> jsonOf(numbered(text(body, "schemeName"), text(body, "identification"))));
    OPERATIONS.put("/accounts/funds", body -> loadFunds(texts(body, "accountIds")));
    OPERATIONS.put("/accounts/confirm-funds",
        body -> confirmFunds(text(body, "accountId"), member(body, "amount")));
    // this bank pays in pounds only
    OPERATIONS.put("/payments/price", body -> object("price", null));
    OPERATIONS.put("/payments/reserve", body -> reserve(list(body, "payments")));
    OPERATIONS.put("/payments/execute", body -> execute(list(body, "payments")));
    OPERATIONS.put("/payments/ask", body -> outcomes(texts(body, "paymentIds")));
    OPERATIONS.put("/payments/release", body -> release(texts(body, "paymentIds")));
    OPERATIONS.put("/test/customers", body -> {
      List<Object> customers = new ArrayList<>();
      for (Customer one : CUSTOMERS) {
        Map<String, Object> json = one.json();
        json.putAll(object("password", one.testPassword(), "description", "A test customer"));
        customers.add(json);
      }
      return object("customers", customers);
    });
    OPERATIONS.put("/test/code", body ->
        object("code", CHALLENGES.containsKey(text(body, "challengeId")) ? TEST_CODE : null));
  }

  static final int MOST_BYTES = 16 * 1024 * 1024;

  static void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
      try {
        Object answer = answerTo(exchange, body);
        if (answer != null) send(exchange, 200, answer);
        else problem(exchange, 404, "retry", "there is no such operation");
      } catch (Wrong wrong) {
        problem(exchange, 400, "refused", wrong.getMessage());
      } catch (RuntimeException error) { // its message may contain a customer's data
        System.err.println(exchange.getRequestURI().getPath() + " failed: " + error.getClass());
        problem(exchange, 500, "unknown", "the core failed");
      }
    }
  }

  /** Returns the answer to a request, or null if there is no such operation. */
  static Object answerTo(HttpExchange exchange, byte[] body) {
    if (!"1".equals(exchange.getRequestHeaders().getFirst("Aldgate-Contract"))) {
      throw new Wrong("the header Aldgate-Contract must be 1");
    }
    String path = exchange.getRequestURI().getPath();
    boolean isGet = exchange.getRequestMethod().equals("GET");
    if (isGet && path.equals("/about")) return ABOUT;
    Function<Object, Object> operation = isGet ? null : OPERATIONS.get(path);
    if (operation == null && !(isGet && path.equals("/changes"))) return null;
    if (body.length > MOST_BYTES) throw new Wrong("the body is too large");
    Object given = isGet ? queryOf(exchange.getRequestURI().getRawQuery()) : Json.read(body);
    synchronized (PAYMENTS) {
      try {
        if (operation != null) return operation.apply(given);
        @SuppressWarnings("unchecked")
        Map<String, String> query = (Map<String, String>) given;
        return readChanges(query);
      } finally {
        save();
      }
    }
  }

  static Map<String, String> queryOf(String query) {
    Map<String, String> found = new HashMap<>();
    for (String pair : query == null ? new String[0] : query.split("&")) {
      int equals = pair.indexOf('=');
      if (equals < 1) continue;
      try {
        found.put(pair.substring(0, equals), URLDecoder.decode(pair.substring(equals + 1), UTF_8));
      } catch (IllegalArgumentException error) {
        throw new Wrong("the query is not encoded");
      }
    }
    return found;
  }

  static void problem(HttpExchange exchange, int status, String outcome, String title)
      throws IOException {
    send(exchange, status, object("title", title, "status", status, "outcome", outcome));
  }

  static void send(HttpExchange exchange, int status, Object body) throws IOException {
    byte[] sent = Json.write(body).getBytes(UTF_8);
    String type = status == 200 ? "application/json" : "application/problem+json";
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, sent.length);
    exchange.getResponseBody().write(sent);
  }

  public static void main(String[] arguments) throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    for (Customer one : CUSTOMERS) HASHES.put(one.login(), hashOf(one.login(), one.testPassword()));
    int port = Integer.parseInt(arguments[0]);
    // a second core on the port ends here, before it touches the file
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 100);
    open(Path.of(arguments[1]));
    server.createContext("/", Bank::handle);
    server.setExecutor(Executors.newFixedThreadPool(64));
    server.start();
    System.out.println("Open at http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** JSON as maps, lists, texts, BigDecimal, Boolean and null. Use your own library instead. */
  static class Json {
    static final int DEEPEST = 100;
    final String text;
    int at = 0;

    Json(String text) {
      this.text = text;
    }

    static Object read(byte[] bytes) {
      return read(new String(bytes, UTF_8));
    }

    static Object read(String text) {
      Json json = new Json(text);
      Object value = json.value(0);
      if (json.next() != 0) throw json.wrong();
      return value;
    }

    Wrong wrong() {
      return new Wrong("the body is not JSON");
    }

    /** Returns the next character that is no space, or 0 at the end. */
    char next() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
      return at < text.length() ? text.charAt(at) : 0;
    }

    boolean takes(char wanted) {
      if (next() != wanted) return false;
      at++;
      return true;
    }

    void take(char wanted) {
      if (!takes(wanted)) throw wrong();
    }

    Object value(int depth) {
      if (depth > DEEPEST) throw wrong();
      switch (next()) {
        case '{':
          return objectAt(depth);
        case '[':
          return listAt(depth);
        case '"':
          return string();
        default:
          return word();
      }
    }

    Object objectAt(int depth) {
      Map<String, Object> found = object();
      take('{');
      if (takes('}')) return found;
      do {
        if (next() != '"') throw wrong();
        String name = string();
        take(':');
        found.put(name, value(depth + 1));
      } while (takes(','));
      take('}');
      return found;
    }

    Object listAt(int depth) {
      List<Object> found = new ArrayList<>();
      take('[');
      if (takes(']')) return found;
      do found.add(value(depth + 1)); while (takes(','));
      take(']');
      return found;
    }

    String string() {
      StringBuilder found = new StringBuilder();
      for (at++; at < text.length(); at++) {
        char letter = text.charAt(at);
        if (letter < ' ') throw wrong();
        if (letter == '"') {
          at++;
          return found.toString();
        }
        found.append(letter == '\\' ? escaped() : letter);
      }
      throw wrong();
    }

    char escaped() {
      at++;
      int simple = at < text.length() ? "\"\\/bfnrt".indexOf(text.charAt(at)) : -1;
      if (simple >= 0) return "\"\\/\b\f\n\r\t".charAt(simple);
      if (at + 4 >= text.length() || text.charAt(at) != 'u') throw wrong();
      String digits = text.substring(at + 1, at + 5);
      if (!digits.matches("[0-9a-fA-F]{4}")) throw wrong();
      at += 4;
      return (char) Integer.parseInt(digits, 16);
    }

    Object word() {
      int from = at;
      while (at < text.length() && "+-.".indexOf(text.charAt(at)) >= 0
          || at < text.length() && Character.isLetterOrDigit(text.charAt(at))) at++;
      String word = text.substring(from, at);
      if (word.equals("null")) return null;
      if (word.equals("true") || word.equals("false")) return word.equals("true");
      if (word.matches("-?(0|[1-9][0-9]{0,30})([.][0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")) {
        return new BigDecimal(word);
      }
      throw wrong();
    }

    static String write(Object value) {
      if (value instanceof String text) return quoted(text);
      if (value instanceof Map<?, ?> map) {
        List<String> members = new ArrayList<>();
        map.forEach((name, one) -> members.add(quoted((String) name) + ":" + write(one)));
        return "{" + String.join(",", members) + "}";
      }
      if (value instanceof List<?> list) {
        return "[" + String.join(",", list.stream().map(Json::write).toList()) + "]";
      }
      return String.valueOf(value);
    }

    static String quoted(String text) {
      StringBuilder made = new StringBuilder("\"");
      for (char letter : text.toCharArray()) {
        if (letter < ' ' || letter > '~') made.append(String.format("\\u%04x", (int) letter));
        else if (letter == '"' || letter == '\\') made.append('\\').append(letter);
        else made.append(letter);
      }
      return made.append('"').toString();
    }
  }
}
