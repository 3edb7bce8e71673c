import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AccountsBank, type Answer, basePath, publicUrl } from "./fixture.ts";

let bank: AccountsBank;
let customerId: string;
let accountId: string;
let ids: string[];
let path: string;

// 60 transactions, one per day before 20 November; every third is a credit, and two have the same
// time
const entries = Array.from({ length: 60 }, (_, day) => ({
  at: Temporal.Instant.from("2026-11-20T10:00:00Z")
    .subtract({ hours: 24 * (day === 31 ? 30 : day) })
    .toString(),
  indicator: day % 3 === 0 ? ("Credit" as const) : ("Debit" as const),
}));

before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
  accountId = await bank.addAccount(customerId);
  ids = await bank.addTransactions(accountId, entries);
  path = `/accounts/${accountId}/transactions`;
});
after(() => bank.close());

const idsOf = ({ body }: Answer): string[] =>
  body.Data.Transaction.map(({ TransactionId }: { TransactionId: string }) => TransactionId);

const fault = ({ body }: Answer): [string, string] => [
  body.Errors[0].ErrorCode,
  body.Errors[0].Path,
];

async function consentTo(permissions: string[], window: { from?: string; to?: string } = {}) {
  const accounts = { customerId, accountIds: [accountId] };
  const consent = await bank.addConsent({
    ...accounts,
    permissions: ["ReadAccountsBasic", ...permissions],
    ...window,
  });
  return consent.token;
}

const both = ["ReadTransactionsCredits", "ReadTransactionsDebits"];
const detail = ["ReadTransactionsDetail", ...both];

/** Follows Next to the last page. */
async function readAll(url: string, token: string): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = url; next; next = pages.at(-1)?.body.Links.Next) {
    const page = await bank.get(next, token);
    assert.equal(page.status, 200, page.text);
    pages.push(page);
    assert.ok(pages.length < 20, "the pages end");
  }
  return pages;
}

describe("fields of transactions", () => {
  test("A-170, A-171: the text of a transaction is hidden by Basic and shown by Detail", async () => {
    const basic = await bank.get(path, await consentTo(["ReadTransactionsBasic", ...both]));
    assert.equal("TransactionInformation" in basic.body.Data.Transaction[0], false);
    const whole = await bank.get(path, await consentTo(detail));
    assert.equal(whole.body.Data.Transaction[0].TransactionInformation, "No. 0 – “£”");
  });

  test("A-130: a consent with Basic and Detail gets the Detail view", async () => {
    const answer = await bank.get(path, await consentTo(["ReadTransactionsBasic", ...detail]));
    assert.ok(answer.body.Data.Transaction[0].TransactionInformation);
  });

  test("A-172, A-173: a page shows only credits with ReadTransactionsCredits, and only debits with ReadTransactionsDebits", async () => {
    for (const [code, indicator] of [
      ["ReadTransactionsCredits", "Credit"],
      ["ReadTransactionsDebits", "Debit"],
    ] as const) {
      const pages = await readAll(path, await consentTo(["ReadTransactionsBasic", code]));
      const shown = pages.flatMap(idsOf);
      const wanted = ids.filter((_, index) => entries[index]?.indicator === indicator);
      assert.deepEqual([...shown].sort(), [...wanted].sort());
      assert.equal(pages.length, Math.ceil(wanted.length / 25));
    }
  });

  test("A-120: transactions without a direction or cluster permission are 403", async () => {
    for (const permissions of [["ReadTransactionsBasic"], both, []]) {
      const { status, body } = await bank.get(path, await consentTo(permissions));
      assert.equal(status, 403);
      assert.equal(body.Errors.length, permissions.length === 0 ? 2 : 1);
      for (const { ErrorCode, Message } of body.Errors) {
        assert.equal(ErrorCode, "GB.Aldgate.PermissionMissing");
        const lacking = permissions.includes("ReadTransactionsBasic") ? /Credits or/ : /Basic or/;
        if (permissions.length > 0) assert.match(Message, lacking);
      }
    }
  });

  test("transactions are sorted newest first, then by id", async () => {
    const shown = (await readAll(path, await consentTo(detail))).flatMap(({ body }) =>
      body.Data.Transaction.map(
        (t: { BookingDateTime: string; TransactionId: string }) =>
          `${t.BookingDateTime} ${t.TransactionId}`,
      ),
    );
    assert.deepEqual(shown, [...shown].sort().reverse());
  });
});

describe("pages of transactions", () => {
  test("A-195, A-196, A-199: pages of 25 together contain every transaction", async () => {
    const pages = await readAll(path, await consentTo(detail));
    assert.deepEqual(
      pages.map((page) => idsOf(page).length),
      [25, 25, 10],
    );
    assert.deepEqual([...pages.flatMap(idsOf)].sort(), [...ids].sort());
    assert.deepEqual(
      pages.map(({ body: { Links } }) => ["Prev" in Links, "Next" in Links]),
      [
        [false, true],
        [true, true],
        [true, false],
      ],
    );
  });

  test("A-195: Prev leads back through the same pages, and First to the first page", async () => {
    const token = await consentTo(detail);
    const pages = await readAll(path, token);
    const second = await bank.get(pages[2]?.body.Links.Prev, token);
    assert.deepEqual(idsOf(second), idsOf(pages[1] as Answer));
    const first = await bank.get(second.body.Links.Prev, token);
    assert.deepEqual(idsOf(first), idsOf(pages[0] as Answer));
    assert.equal("Prev" in first.body.Links, false);
    const also = await bank.get(pages[2]?.body.Links.First, token);
    assert.deepEqual(idsOf(also), idsOf(first));
  });

  test("A-196, A-197: links keep the filter in any format", async () => {
    const token = await consentTo(detail);
    const filters = [
      "fromBookingDateTime=2026-09-25T10:00:00%2B05:00&toBookingDateTime=2026-11-19",
      "fromBookingDateTime=2026-09-25T10:00:00+05:00&toBookingDateTime=2026-11-19",
    ];
    for (const filter of filters) {
      const pages = await readAll(`${path}?${filter}`, token);
      assert.equal(pages.length, 3);
      const inside = entries.filter(
        ({ at }) => at >= "2026-09-25T10:00:00Z" && at <= "2026-11-19T00:00:00Z",
      );
      const shown = pages.flatMap(idsOf);
      assert.equal(shown.length, inside.length);
      assert.equal(new Set(shown).size, shown.length);
    }
  });

  test("A-196: a transaction that is booked while a TPP pages does not shift its pages", async () => {
    const other = await bank.addAccount(customerId);
    const before = await bank.addTransactions(other, entries.slice(0, 30));
    const { token } = await bank.addConsent({ customerId, accountIds: [other] });
    const first = await bank.get(`/accounts/${other}/transactions`, token);
    await bank.addTransactions(other, [{ at: "2026-11-21T09:00:00Z" }]);
    const second = await bank.get(first.body.Links.Next, token);
    assert.deepEqual([...idsOf(first), ...idsOf(second)].sort(), [...before].sort());
    const back = await bank.get(second.body.Links.Prev, token);
    assert.deepEqual(idsOf(back), idsOf(first));
    const newest = await bank.get(back.body.Links.Prev, token);
    assert.equal(idsOf(newest).length, 25);
    assert.equal("Prev" in newest.body.Links, false);
  });

  test("A-198: a page parameter of transactions that the bank did not issue is 400", async () => {
    const token = await consentTo(detail);
    const forged = (key: unknown) => Buffer.from(JSON.stringify(key)).toString("base64url");
    const cursors = ["0", "-1", "abc", "", "%00", "é", "a".repeat(700)];
    const keys = [[], ["x", "y"], ["2026-02-30 00:00:00Z", "y"], ["2026-01-01 00:00:00Z", 1]];
    const more = [["2026-01-01 00:00:00Z", "\u0000"], ["+010000-01-01T00:00:00Z", "y"], {}, 7];
    for (const pg of [...cursors, ...[...keys, ...more].map(forged)]) {
      const answer = await bank.get(`${path}?pg=${pg}`, token);
      assert.equal(answer.status, 400, pg);
      assert.deepEqual(fault(answer), ["UK.OBIE.Field.Invalid", "pg"]);
    }
  });

  test("A-198: the database accepts every instant that a page parameter can contain", async () => {
    const token = await consentTo(detail);
    const table = [
      ["2026-11-01T10:00:00Z[UTC]", 200],
      ["2026-11-01T10:00:00+23:00", 200],
      ["2026-11-01 10:00:00.123456789-00:00:01", 200],
      ["0000-01-01T00:00:00Z", 400],
      ["9999-12-31T23:59:59-01:00", 400],
    ] as const;
    for (const [time, status] of table) {
      const pg = Buffer.from(JSON.stringify(["aisp-v3.1", time, "tx"])).toString("base64url");
      assert.equal((await bank.get(`${path}?pg=${pg}`, token)).status, status, time);
    }
  });

  test("A-203: a link does not work without a token", async () => {
    const first = await bank.get(path, await consentTo(detail));
    const other = await bank.addAccount(customerId);
    const { token } = await bank.addConsent({ customerId, accountIds: [other] });
    const { status, body } = await bank.get(first.body.Links.Next, token);
    assert.equal(status, 403);
    assert.equal(body.Errors[0].ErrorCode, "GB.Aldgate.AccountNotAccessible");
    assert.equal(body.Data, undefined);
  });

  test("A-200, A-201: Self is the requested URL, and a single page has TotalPages 1", async () => {
    const token = await consentTo(detail);
    const answer = await bank.get(`${path}?fromBookingDateTime=2026-11-18&x=1`, token);
    const { Self, ...others } = answer.body.Links;
    assert.equal(Self, `${publicUrl}${basePath}${path}?fromBookingDateTime=2026-11-18&x=1`);
    assert.deepEqual(others, {});
    assert.equal(answer.body.Meta.TotalPages, 1);
    assert.equal("TotalPages" in (await bank.get(path, token)).body.Meta, false);
  });
});

describe("windows of transactions", () => {
  const window = { from: "2026-11-10T10:00:00Z", to: "2026-11-15T10:00:00Z" };
  const booked = ({ body }: Answer): string[] =>
    body.Data.Transaction.map((t: { BookingDateTime: string }) => t.BookingDateTime);

  test("A-174, A-175: the consent's window always applies, bounds included", async () => {
    const token = await consentTo(detail, window);
    for (const query of [
      "",
      "?fromBookingDateTime=2016-01-01T00:00:00&toBookingDateTime=2030-01-01",
    ]) {
      const times = booked(await bank.get(path + query, token));
      assert.equal(times.length, 6);
      assert.ok(times.every((time) => time >= window.from && time <= window.to));
    }
  });

  test("A-176, A-177: a range without transactions is an empty list", async () => {
    const token = await consentTo(detail, window);
    for (const query of ["fromBookingDateTime=2026-11-16", "toBookingDateTime=2026-11-09"]) {
      const answer = await bank.get(`${path}?${query}`, token);
      assert.deepEqual(answer.body.Data, { Transaction: [] });
    }
    const later = await bank.get(`${path}?fromBookingDateTime=2030-01-01`, await consentTo(detail));
    assert.deepEqual(later.body.Data, { Transaction: [] });
  });

  test("A-178: the time zone of a filter is ignored, not converted", async () => {
    const token = await consentTo(detail);
    for (const zone of ["-05:00", "%2B09:00", "+09:00", "Z", ""]) {
      const query = `fromBookingDateTime=2026-11-20T10:00:00${zone}`;
      assert.deepEqual(idsOf(await bank.get(`${path}?${query}`, token)), [ids[0]], zone);
    }
  });

  test("A-179: a date without a time means midnight, and bounds are inclusive", async () => {
    const token = await consentTo(detail);
    const from = "fromBookingDateTime=2026-11-20";
    const midnight = await bank.get(`${path}?${from}&toBookingDateTime=2026-11-20`, token);
    assert.deepEqual(idsOf(midnight), []);
    const exact = await bank.get(`${path}?${from}&toBookingDateTime=2026-11-20T10:00:00`, token);
    assert.deepEqual(idsOf(exact), [ids[0]]);
  });

  test("A-180: filters accept every ISO 8601 format", async () => {
    const token = await consentTo(detail);
    const forms = [
      "2020-04-23T15:47:00",
      "2020-04-23T15:47:00.999",
      "2016-01-01T10:40:00",
      "20160101T104012.345Z",
      "2016-01-01T10:40:12.34567Z",
      "2016-01-01T10:40:12.34567+01",
      "20160101T104012.567+01",
      "2016-01-01T10:40+01:00",
      "2016-01-01T10:40:00+0100",
      "2016-01-01",
      "0000-01-01",
      "9999-12-31T23:59:59-14:00",
    ];
    for (const form of forms) {
      for (const value of [form, encodeURIComponent(form)]) {
        const answer = await bank.get(`${path}?fromBookingDateTime=${value}`, token);
        assert.equal(answer.status, 200, value);
      }
    }
  });

  test("A-181, A-182: an invalid date, or a range that ends before it starts, is 400", async () => {
    const token = await consentTo(detail);
    for (const value of ["foo", "2017-02-30", "", "2017-01-01T25:00:00", "1,2"]) {
      const answer = await bank.get(`${path}?toBookingDateTime=${value}`, token);
      assert.equal(answer.status, 400, value);
      assert.deepEqual(fault(answer), ["UK.OBIE.Field.InvalidDate", "toBookingDateTime"]);
    }
    const unstorable = await bank.get(`${path}?toBookingDateTime=%00`, token);
    assert.equal(unstorable.status, 400);
    assert.deepEqual(fault(unstorable), ["UK.OBIE.Field.Invalid", "toBookingDateTime"]);
    const range = "fromBookingDateTime=2026-11-02&toBookingDateTime=2026-11-01";
    const reversed = await bank.get(`${path}?${range}`, token);
    assert.deepEqual(fault(reversed), ["UK.OBIE.Field.InvalidDate", "fromBookingDateTime"]);
    const twice = "fromBookingDateTime=2026-11-02&fromBookingDateTime=2026-11-01";
    const repeated = await bank.get(`${path}?${twice}`, token);
    assert.deepEqual(fault(repeated), ["UK.OBIE.Field.Invalid", "fromBookingDateTime"]);
  });

  test("A-202: Meta gives the period for which there is data, whatever the filter", async () => {
    const answer = await bank.get(
      `${path}?toBookingDateTime=2026-11-12`,
      await consentTo(detail, window),
    );
    assert.equal(answer.body.Meta.FirstAvailableDateTime, window.from);
    assert.equal(answer.body.Meta.LastAvailableDateTime, window.to);
    const open = await bank.get(path, await consentTo(detail));
    assert.equal(open.body.Meta.FirstAvailableDateTime, entries.at(-1)?.at);
    assert.equal(open.body.Meta.LastAvailableDateTime, bank.now.toString());
  });

  test("A-202: an older transaction that arrives extends the period in Meta backwards", async () => {
    const id = await bank.addAccount(customerId);
    const { token } = await bank.addConsent({ customerId, accountIds: [id] });
    const starts = async () =>
      (await bank.get(`/accounts/${id}/transactions`, token)).body.Meta.FirstAvailableDateTime;
    assert.equal(await starts(), undefined);
    for (const [at, start] of [
      ["2026-11-02T10:00:00Z", "2026-11-02T10:00:00Z"],
      ["2026-11-01T10:00:00Z", "2026-11-01T10:00:00Z"],
      ["2026-11-03T10:00:00Z", "2026-11-01T10:00:00Z"],
    ] as const) {
      await bank.addTransactions(id, [{ at }]);
      assert.equal(await starts(), start);
    }
  });

  test("a window that starts in the future is empty, and Meta gives no dates", async () => {
    const token = await consentTo(detail, { from: "2030-01-01T00:00:00Z" });
    const answer = await bank.get(path, token);
    assert.deepEqual(answer.body.Data, { Transaction: [] });
    assert.deepEqual(answer.body.Meta, { TotalPages: 1 });
  });
});
