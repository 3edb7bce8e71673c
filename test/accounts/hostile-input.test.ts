import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { renderCursor } from "#src/accounts/reading/page.ts";
import {
  AccountsBank,
  type Answer,
  basePath,
  checkAgainstPublished,
  everything,
} from "./fixture.ts";

// Every run sends the same requests, so a failure can be repeated.
const seed = 20_260_721;

let bank: AccountsBank;
let accountId: string;
let token: string;
let clientToken: string;

before(async () => {
  bank = await AccountsBank.open({ reauthenticationDays: 30, unattended: 1_000_000 });
  const customerId = await bank.addCustomer();
  accountId = await bank.addAccount(customerId);
  const days = Array.from({ length: 60 }, (_, day) => day);
  await bank.addTransactions(
    accountId,
    days.map((day) => ({ at: bank.now.subtract({ hours: 24 * day }).toString() })),
  );
  token = (await bank.addConsent({ customerId, accountIds: [accountId] })).token;
  clientToken = await bank.clientToken();
});
after(() => bank.close());

type Sent = {
  method?: "GET" | "POST" | "DELETE" | "PUT";
  url: string;
  headers?: Record<string, string>;
  payload?: string | Buffer;
};

/** Sends a request and checks what must be true of every response. */
async function ask({ method = "GET", url, headers = {}, payload }: Sent): Promise<Answer> {
  const response = await bank.app.inject({
    method,
    url: basePath + url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  const { statusCode: status, body: text } = response;
  assert.ok(status < 500, `${status}: ${text}`);
  const id = response.headers["x-fapi-interaction-id"];
  assert.equal(typeof id, "string");
  assert.match(String(id), /^[\x20-\x7e]{1,128}$/);
  assert.equal(response.headers["cache-control"], "no-store");
  const body = text === "" ? null : JSON.parse(text);
  if (body === null) assert.ok(![200, 201, 400].includes(status), `${status} has a body`);
  else checkAgainstPublished(method, url, { status, body });
  return { status, headers: response.headers, text, raw: response.rawPayload, body };
}

const check = (property: fc.IAsyncProperty<unknown>, numRuns = 150) =>
  fc.assert(property, { seed, numRuns });

/** Any text as it might be encoded in a URL, including invalid encodings. */
const spelled = fc.oneof(
  fc
    .string({ unit: "binary", maxLength: 60 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ unit: "grapheme-ascii", maxLength: 60 }).map((text) => text.replace(/[\s#]/g, "+")),
  fc
    .array(fc.constantFrom("%", "%0", "%00", "%2f", "%ff", "..", ".", "/", "'", "é", "\\"))
    .map((parts) => parts.join("")),
);

const inRange = (minimum: number, maximum: number) => fc.integer({ min: minimum, max: maximum });
const padded = (length: number, minimum: number, maximum: number) =>
  inRange(minimum, maximum).map((number) => String(number).padStart(length, "0"));

/** A text like a date: often valid, sometimes at the limits of the calendar. */
const dateLike = fc
  .tuple(
    fc.oneof(padded(4, 0, 9999), fc.constantFrom("0000", "0001", "9999", "-0001", "+275760")),
    padded(2, 0, 13),
    padded(2, 0, 32),
    fc.constantFrom("", "T", "t", " ", "+"),
    padded(2, 0, 25),
    fc.constantFrom("", ":00", ":59:60", ":00:00.123456789", "0000"),
    fc.constantFrom("", "Z", "+00", "-14:00", "+23:59", "+99", "[UTC]", "Z[Europe/London]", " BC"),
  )
  .map(([year, month, day, at, ...time]) => `${year}-${month}-${day}${at}${at && time.join("")}`);

const headerNames = [
  "accept",
  "content-type",
  "content-length",
  "content-encoding",
  "x-fapi-interaction-id",
  "x-fapi-auth-date",
  "x-fapi-customer-ip-address",
  "x-customer-user-agent",
  "x-idempotency-key",
  "x-jws-signature",
  "x-forwarded-for",
  "x-http-method-override",
  "__proto__",
  "constructor",
];
const headerValue = fc.oneof(
  fc.string({ unit: "grapheme-ascii", maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom("\xe9", "\xff", " ", ",", ";", "=", '"', "q", "*", "/", "\t"),
  }),
  fc.constantFrom("application/json", "application/json;q=x", "*/*;q=", ";", "a/b;charset"),
);
const someHeaders = fc.dictionary(fc.constantFrom(...headerNames), headerValue, {
  noNullPrototype: true,
});

const resources = fc.constantFrom("", "/balances", "/transactions", "/transactions/", "/foobar");

test("no request header causes a failure", async () => {
  await check(
    fc.asyncProperty(someHeaders, resources, async (given, below) => {
      const { "content-length": _, ...headers } = given;
      const authorization = `Bearer ${token}`;
      await ask({ url: `/accounts/${accountId}${below}`, headers: { ...headers, authorization } });
    }),
  );
});

test("no Authorization header causes a failure or grants access", async () => {
  await check(
    fc.asyncProperty(
      headerValue,
      fc.constantFrom("", "Bearer ", "bearer\t"),
      async (text, before) => {
        const { status } = await ask({
          url: "/accounts",
          headers: { authorization: before + text },
        });
        assert.equal(status, 401);
      },
    ),
  );
});

test("A-129: a hostile AccountId or ConsentId never causes a failure", async () => {
  await check(
    fc.asyncProperty(spelled, resources, async (id, below) => {
      const authorization = `Bearer ${token}`;
      const { status } = await ask({ url: `/accounts/${id}${below}`, headers: { authorization } });
      // `.` and an empty id make a different path, which may be served
      assert.ok([200, 400, 404].includes(status), `${status}`);
      for (const method of ["GET", "DELETE"] as const) {
        const headers = { authorization: `Bearer ${clientToken}` };
        await ask({ method, url: `/account-access-consents/${id}`, headers });
      }
    }),
  );
});

test("A-128: a hostile query never causes a failure", async () => {
  const names = ["fromBookingDateTime", "toBookingDateTime", "pg", "__proto__", "a[b]", ""];
  const parameter = fc
    .tuple(fc.oneof(fc.constantFrom(...names), spelled), fc.oneof(spelled, dateLike))
    .map(([name, value]) => `${name}=${value}`);
  const query = fc.array(parameter, { maxLength: 5 }).map((parts) => parts.join("&"));
  await check(
    fc.asyncProperty(fc.oneof(query, spelled), resources, async (text, below) => {
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await ask({ url: `/accounts/${accountId}${below}?${text}`, headers });
      assert.ok([200, 400, 404].includes(status), `${status}`);
    }),
    300,
  );
});

test("A-181: every date filter is applied or is 400", async () => {
  const date = fc.oneof(dateLike, dateLike.map(encodeURIComponent));
  await check(
    fc.asyncProperty(date, date, async (from, to) => {
      const query = `fromBookingDateTime=${from}&toBookingDateTime=${to}`;
      const headers = { authorization: `Bearer ${token}` };
      const { status, body } = await ask({
        url: `/accounts/${accountId}/transactions?${query}`,
        headers,
      });
      if (status === 200) assert.ok(Array.isArray(body.Data.Transaction));
      else assert.equal(body.Errors[0].ErrorCode, "UK.OBIE.Field.InvalidDate");
    }),
    300,
  );
});

test("A-198: every page parameter is one that the bank issued, or is 400", async () => {
  const text = fc.string({ unit: "binary", maxLength: 30 });
  const key = fc.oneof(
    fc.tuple(dateLike, fc.oneof(text, fc.constant("tx-1"))),
    fc.array(fc.oneof(text, dateLike, fc.double(), fc.constant(null)), { maxLength: 3 }),
  );
  // a cursor is a list of texts, but these keys contain other types
  const side = fc.constantFrom("onwards" as const, "before" as const);
  const forged = fc
    .tuple(side, key)
    .map(([side, values]) => renderCursor("aisp-v3.1", { side, key: values as string[] }));
  await check(
    fc.asyncProperty(fc.oneof(forged, spelled), async (cursor) => {
      const headers = { authorization: `Bearer ${token}` };
      const url = `/accounts/${accountId}/transactions?pg=${cursor}`;
      const { status } = await ask({ url, headers });
      assert.ok(status === 200 || status === 400, `${status}`);
    }),
    400,
  );
});

test("no body causes a failure, and every consent that is created can be read", async () => {
  const member = fc.oneof(
    { maxDepth: 2 },
    fc.jsonValue({ maxDepth: 2 }),
    dateLike,
    fc.constant("9999-12-31T23:59:59-14:00"),
  );
  const data = fc.record(
    {
      Permissions: fc.oneof(fc.constant(everything), fc.array(fc.constantFrom(...everything, "x"))),
      ExpirationDateTime: member,
      TransactionFromDateTime: member,
      TransactionToDateTime: member,
    },
    { requiredKeys: ["Permissions"], noNullPrototype: true },
  );
  const body = fc.oneof(
    data.map((Data) => JSON.stringify({ Data, Risk: {} })),
    fc.json(),
    fc.string({ unit: "binary" }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  );
  const headers = { authorization: "", "content-type": "application/json" };
  await check(
    fc.asyncProperty(body, async (payload) => {
      headers.authorization = `Bearer ${clientToken}`;
      const url = "/account-access-consents";
      const made = await ask({ method: "POST", url, headers, payload });
      assert.ok(made.status === 201 || made.status === 400, `${made.status}`);
      if (made.status !== 201) return;
      const read = await ask({ url: `${url}/${made.body.Data.ConsentId}`, headers });
      assert.deepEqual(read.body.Data, made.body.Data);
    }),
    300,
  );
});
