// An export is imported later: the bank moves its dates to its own time.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import { checkDocument } from "#src/sandbox/own-data/check-document.ts";
import type { CustomerDocument, OwnAccount } from "#src/sandbox/own-data/document.ts";
import { dueDayOf } from "#src/sandbox/own-data/regular.ts";
import { shiftDates } from "#src/sandbox/own-data/shift-dates.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Caller, callerOf, expectRefusal, type Refusal } from "./caller.ts";
import { mayaAt } from "./own-customer.ts";

let bank: TestBank;
let call: Caller;
let now: Temporal.Instant;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
  const clock = await bank.control<{ now: string }>("GET", "/clock");
  now = Temporal.Instant.from(clock.now);
});
after(() => bank?.close());

const earlier = (days: number): Temporal.Instant => now.subtract({ hours: 24 * days });
const shifted = (document: object) => bank.control("POST", "/customers?shift=true", document);
const exported = (login: string) =>
  bank.control<CustomerDocument>("GET", `/customers/${login}/export`);
const mainOf = ({ accounts }: CustomerDocument): OwnAccount => {
  const main = accounts.find(({ key }) => key === "main");
  assert.ok(main);
  return main;
};
const textsOf = ({ transactions = [] }: OwnAccount) =>
  transactions.map(({ at, text }) => `${at} ${text}`);

test("an old export is refused as it is, and moves to the bank's time with shift", async () => {
  const maya = { ...mayaAt(earlier(103)), asOf: earlier(103).toString() };
  const answer = await expectRefusal(await call("POST", "/customers", maya), 400);
  assert.match(JSON.stringify(answer), /scheduledPayments\[0\]\.on.* with shift moves all dates/);
  await shifted(maya);
  const copy = mainOf(await exported("maya"));
  const wanted = mainOf(mayaAt(now));
  // regular payments can move a few days further, because months have different lengths
  const isOther = (line: string) => !/BRIGHT|RENT/.test(line);
  assert.deepEqual(textsOf(copy).filter(isOther), textsOf(wanted).filter(isOther));
  assert.deepEqual(copy.scheduledPayments, wanted.scheduledPayments);
  assert.equal(copy.balance, wanted.balance);
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});

test("the bank carries on with the regular payments of a moved customer, once a month", async () => {
  const countOf = async (type: string): Promise<number> =>
    (mainOf(await exported("maya")).transactions ?? []).filter((one) => one.type === type).length;
  const before = [await countOf("DD"), await countOf("SO")];
  assert.deepEqual(before, [1, 1]);
  const { directDebits = [], standingOrders = [] } = mainOf(await exported("maya"));
  await bank.control("PUT", "/clock", { advance: "P61D" });
  const clock = await bank.control<{ now: string }>("GET", "/clock");
  const dueSince = (dayOfMonth: number): number => {
    const end = dueDayOf(Temporal.Instant.from(clock.now), dayOfMonth);
    const start = dueDayOf(now, dayOfMonth);
    return (end.year - start.year) * 12 + end.month - start.month;
  };
  const made = [await countOf("DD"), await countOf("SO")];
  const [collected, paid] = [directDebits[0]?.dayOfMonth, standingOrders[0]?.dayOfMonth];
  assert.deepEqual(made, [1 + dueSince(collected ?? 0), 1 + dueSince(paid ?? 0)]);
  now = Temporal.Instant.from(clock.now);
});

test("a document without its time is refused with shift, and so is a time that does not exist", async () => {
  const { asOf: _, ...undated } = { ...mayaAt(now), login: "una" };
  for (const [body, code] of [
    [undated, "missing"],
    [{ ...undated, asOf: "2026-11-24T09:00:00" }, "invalid"],
  ] as const) {
    const answer = await expectRefusal(await call("POST", "/customers?shift=true", body), 400);
    const { errors = [] } = answer as Refusal & { errors?: { code: string; path: string }[] };
    assert.deepEqual(
      errors.map((one) => [one.code, one.path]),
      [[code, "asOf"]],
    );
  }
  const unclear = await expectRefusal(await call("POST", "/customers?shift=soon", undated), 400);
  assert.match(JSON.stringify(unclear), /shift must be true or false/);
});

test("every persona of a hundred days ago moves to today, within the limits of the accounts", async () => {
  const { customers } = await bank.control<{ customers: SandboxCustomer[] }>("GET", "/customers");
  const logins = customers.map(({ login }) => login).filter((login) => !login.includes("_"));
  for (const login of logins.filter((one) => one !== "maya")) {
    const { accounts, ...rest } = await exported(login);
    const copied = accounts.map(
      ({ number: _, holders: __, signatoriesRequired: ___, ...one }) => one,
    );
    const today = { ...rest, login: `${login}3`, accounts: copied };
    const then = shiftDates(today, now, earlier(100));
    await shifted({ ...then, asOf: earlier(100).toString() });
    const moved = await exported(`${login}3`);
    assert.deepEqual(
      moved.accounts.map(({ balance, openedOn }) => [balance, openedOn]).sort(),
      copied.map(({ balance, openedOn }) => [balance, openedOn]).sort(),
    );
  }
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});

/** A customer with a direct debit that was collected on 18 due days, the latest before `asOf`. */
function collected(asOf: Temporal.Instant, dayOfMonth: number, late: number): CustomerDocument {
  const latest = dueDayOf(asOf.subtract({ hours: 24 * late }), dayOfMonth);
  const dues = Array.from({ length: 18 }, (_, months) => {
    const month = latest.with({ day: 1 }).subtract({ months });
    return month.with({ day: Math.min(dayOfMonth, month.daysInMonth) });
  });
  const transactions = dues.reverse().map((due) => ({
    at: due.add({ days: late }).toZonedDateTime("UTC").toInstant().toString(),
    amount: "10.00",
    indicator: "Debit" as const,
    type: "DD" as const,
    text: "GAS",
    reference: "GAS1",
  }));
  const directDebits = [{ reference: "GAS1", originator: "Gas", amount: "10.00", dayOfMonth }];
  const account = { key: "a", type: "CurrentAccount" as const, balance: "10.00" };
  return { login: "gas", name: "Gas", accounts: [{ ...account, transactions, directDebits }] };
}

/** The due days that a document's transactions pay, and the next due day. */
function paidIn({ accounts }: CustomerDocument, at: Temporal.Instant) {
  const [{ transactions = [], directDebits = [] }] = accounts as [OwnAccount];
  const dayOfMonth = directDebits[0]?.dayOfMonth ?? 0;
  const monthOf = ({ year, month }: Temporal.PlainDate) => year * 12 + month;
  const latest = monthOf(dueDayOf(at, dayOfMonth));
  return transactions.map((one) => {
    return latest - monthOf(dueDayOf(Temporal.Instant.from(one.at), dayOfMonth));
  });
}

test("each due day that was paid before the move is paid after it, and no other", () => {
  const starts = ["2026-11-24T15:30:00Z", "2027-01-31T00:00:00Z", "2028-02-29T23:59:59Z"];
  for (const start of starts) {
    for (let ahead = -400; ahead <= 400; ahead += 13) {
      for (const dayOfMonth of [1, 15, 24, 28, 29, 30, 31]) {
        for (const late of [0, 4]) {
          const asOf = Temporal.Instant.from(start);
          const then = asOf.add({ hours: 24 * ahead });
          const document = collected(asOf, dayOfMonth, late);
          const moved = shiftDates(document, asOf, then);
          const what = `${start} by ${ahead} days, day ${dayOfMonth}, ${late} days late`;
          const faults = checkDocument(moved, { now: then, logins: new Set(), numbers: new Set() });
          assert.deepEqual(faults, [], what);
          assert.deepEqual(paidIn(moved, then), paidIn(document, asOf), what);
        }
      }
    }
  }
});
