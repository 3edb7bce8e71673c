// A bank's core for Aldgate, in one file. It needs Node.js 24 or later, and no packages.
//
// node examples/banks/bank.ts 9090 bank.db
// ALDGATE_DATA=./data-node ./aldgate start --bank http://127.0.0.1:9090

import { randomUUID, scryptSync, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

type Json = Record<string, unknown>;
type Reference = string | null;

const about = {
  contract: 1,
  name: "Sample bank in TypeScript",
  parts: ["account-access", "balances", "transactions", "domestic-payment"],
  operations: ["readChanges", "listTestCustomers", "readTestCode"],
};

// Replace what follows by your own customers and accounts.
const sortCode = "001900"; // no real sort code begins with 00
const opened = "2026-01-05T09:00:00Z";
const testCode = "123456";
const testPasswords: Record<string, string> = { nia: "nia's password", tom: "tom's password" };
const customers = [
  { customerId: "cus-nia", login: "nia", name: "Nia Hughes" },
  { customerId: "cus-tom", login: "tom", name: "Tom Byrne" },
];
const account = (accountId: string, number: string, holderName: string, status = "Enabled") => ({
  accountId,
  accountType: "Personal",
  accountSubType: "CurrentAccount",
  currency: "GBP",
  nickname: null,
  holderName,
  sortCodeAccountNumber: sortCode + number,
  iban: null,
  maskedPan: null,
  signatoriesRequired: 1,
  status,
});
type Account = ReturnType<typeof account>;
const accounts = new Map<string, Account>(
  [
    account("acc-nia", "10000001", "Nia Hughes"),
    account("acc-joint", "10000002", "Nia Hughes and Tom Byrne"),
    account("acc-blocked", "10000003", "Nia Hughes", "Disabled"),
    account("acc-tom", "10000004", "Tom Byrne"),
  ].map((one) => [one.accountId, one]),
);
const holders = Object.entries({
  "acc-nia": ["cus-nia"],
  "acc-joint": ["cus-nia", "cus-tom"],
  "acc-blocked": ["cus-nia"],
  "acc-tom": ["cus-tom"],
});
const openingPence = {
  "acc-nia": 100_000,
  "acc-joint": 25_000,
  "acc-blocked": 5_000,
  "acc-tom": 50_000,
};

// of ISO 20022
const reasons = {
  AC01: "IncorrectAccountNumber",
  AC02: "InvalidDebtorAccountNumber",
  AC03: "InvalidCreditorAccountNumber",
  AC06: "BlockedAccount",
  AG01: "TransactionForbidden",
  AM03: "NotAllowedCurrency",
  AM04: "InsufficientFunds",
  MS03: "NotSpecifiedReasonAgentGenerated",
};
type Reason = keyof typeof reasons;

// A payment is never deleted, because its id must be recognised for ever. Balances are sums of
// entries, so no balance can differ from its entries.
const [port = "9090", path = "bank.db"] = process.argv.slice(2);
const db = new DatabaseSync(path);
db.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table if not exists payment (
    id text primary key, debtor text, payee text, pence integer, charge integer,
    reference text, state text not null, reason text
  ) strict;
  create table if not exists entry (
    seq integer primary key autoincrement, account text not null, pence integer not null,
    at text not null, text text not null, payment text
  ) strict;
  create index if not exists entries_of_account on entry (account);
  create index if not exists reserved_payments on payment (debtor) where state = 'reserved';
`);
const sql = {
  booked: db.prepare("select coalesce(sum(pence), 0) as pence from entry where account = ?"),
  held: db.prepare(
    "select coalesce(sum(pence + charge), 0) as pence from payment where debtor = ? and state = 'reserved'",
  ),
  payment: db.prepare("select * from payment where id = ?"),
  insert: db.prepare("insert into payment values (?, ?, ?, ?, ?, ?, ?, ?)"),
  settle: db.prepare("update payment set state = 'settled' where id = ? and state = 'reserved'"),
  release: db.prepare(
    "update payment set state = 'refused', reason = 'MS03' where id = ? and state = 'reserved'",
  ),
  book: db.prepare("insert into entry (account, pence, at, text, payment) values (?, ?, ?, ?, ?)"),
  newest: db.prepare("select coalesce(max(seq), 0) as seq from entry"),
  entries: db.prepare("select * from entry where seq > ? order by seq limit ?"),
  balances: db.prepare(
    `select account, sum(pence) as pence, max(seq) as seq, max(at) as at from entry
     group by account having max(seq) > ? and max(seq) <= ?`,
  ),
};
type PaymentRow = {
  debtor: string;
  payee: string | null;
  pence: number;
  charge: number;
  reference: string;
  state: string;
  reason: Reason | null;
};
type EntryRow = {
  seq: number;
  account: string;
  pence: number;
  at: string;
  text: string;
  payment: string | null;
};

/** A request that does not fit the contract. The message has no customer's data. */
class Wrong extends Error {}

const now = (): string => new Date().toISOString();

const member = (given: unknown, name: string): unknown =>
  typeof given === "object" && given !== null ? (given as Json)[name] : undefined;

function text(given: unknown, name: string): string {
  const value = member(given, name);
  if (typeof value !== "string") throw new Wrong(`${name} must be a text`);
  return value;
}

function list(given: unknown, name: string): unknown[] {
  const value = member(given, name);
  if (!Array.isArray(value)) throw new Wrong(`${name} must be a list`);
  return value;
}

const texts = (given: unknown, name: string): string[] =>
  list(given, name).map((one) => text({ [name]: one }, name));

/** Returns an amount in pence, or null if it is in another currency. */
function penceOf(money: unknown): number | null {
  const [amount, currency] = [text(money, "amount"), text(money, "currency")];
  if (currency !== "GBP") return null;
  const found = /^(\d{1,13})(?:[.](\d{1,2}))?$/.exec(amount);
  if (!found) throw new Wrong("amount must be a decimal such as 12.34");
  return Number(`${found[1]}${(found[2] ?? "").padEnd(2, "0")}`);
}

function decimalOf(pence: number): string {
  const digits = String(Math.abs(pence)).padStart(3, "0");
  return `${pence < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

// Customers: login, password and second factor

const hashOf = (login: string, password: string): Buffer => scryptSync(password, login, 64);
const hashes = new Map(
  Object.entries(testPasswords).map(([login, password]) => [login, hashOf(login, password)]),
);
const challenges = new Map<string, { until: string; tries: number }>();

function authenticate(login: string, password: string) {
  // an unknown login takes the same time as a wrong password
  const isRight = timingSafeEqual(hashOf(login, password), hashes.get(login) ?? Buffer.alloc(64));
  return { customer: customers.find((one) => isRight && one.login === login) ?? null };
}

function challenge(customerId: string) {
  if (!customers.some((one) => one.customerId === customerId)) {
    throw new Wrong("there is no such customer");
  }
  // A real core sends a code here, with the amount and the payee of the subject.
  for (const [id, { until }] of challenges) if (until < now()) challenges.delete(id);
  const challengeId = randomUUID();
  const until = new Date(Date.now() + 300_000).toISOString();
  challenges.set(challengeId, { until, tries: 3 });
  return { challengeId, method: "code", expiresAt: until };
}

function verify(challengeId: string, code: string) {
  const found = challenges.get(challengeId);
  if (!found || found.until <= now()) return { isRight: false };
  const isRight = code === testCode;
  found.tries -= 1;
  if (isRight || found.tries === 0) challenges.delete(challengeId);
  return { isRight };
}

// Accounts and balances

const penceIn = (row: unknown): number => (row as { pence: number }).pence;

function fundsOf(accountId: string): { booked: number; available: number } {
  const booked = penceIn(sql.booked.get(accountId));
  return { booked, available: booked - penceIn(sql.held.get(accountId)) };
}

function fundsJson(accountId: string) {
  const { booked, available } = fundsOf(accountId);
  return { booked: decimalOf(booked), available: decimalOf(available), currency: "GBP" };
}

function listAccounts(customerId: string, withFunds: boolean) {
  const ids = holders.filter(([, ids]) => ids.includes(customerId)).map(([id]) => id);
  return {
    accounts: ids.map((id) => ({
      ...accounts.get(id),
      ...(withFunds ? { funds: fundsJson(id) } : {}),
    })),
  };
}

const numbered = (schemeName: string, number: string): Account | null =>
  (schemeName === "UK.OBIE.SortCodeAccountNumber" &&
    [...accounts.values()].find((one) => one.sortCodeAccountNumber === number)) ||
  null;

function confirmFunds(accountId: string, amount: unknown) {
  const pence = penceOf(amount);
  const isOpen = accounts.get(accountId)?.status === "Enabled" && pence !== null;
  return { isCovered: isOpen && fundsOf(accountId).available >= pence };
}

// Payments: each is made at most once, whatever arrives how often

const paymentOf = (id: string) => sql.payment.get(id) as PaymentRow | undefined;

function outcomeOf(paymentId: string): Json {
  const { state = "unknown", reason = null } = paymentOf(paymentId) ?? {};
  if (state === "settled") return { paymentId, state, posted: true };
  if (!reason) return { paymentId, state };
  return { paymentId, state, reason: { code: reason, text: reasons[reason] } };
}

function reserve(payments: unknown[]) {
  for (const given of payments) {
    const [id, debtor] = [text(given, "paymentId"), text(given, "debtorAccountId")];
    const charged = member(given, "charge") ?? null;
    const pence = penceOf(member(given, "amount"));
    const charge = charged === null ? 0 : penceOf(charged);
    const creditor = member(given, "creditor");
    const number = text(creditor, "identification");
    const payee = numbered(text(creditor, "schemeName"), number)?.accountId ?? null;
    const reference = (member(given, "reference") ?? "") as Reference;
    if (typeof reference !== "string") throw new Wrong("reference must be a text or null");
    if (paymentOf(id)) continue;
    const isAbroad = (member(given, "international") ?? null) !== null;
    const reason = isAbroad ? "AG01" : refusalOf({ debtor, pence, charge, payee, number });
    const state = reason ? "refused" : "reserved";
    sql.insert.run(id, debtor, payee, pence ?? 0, charge ?? 0, reference, state, reason);
  }
  return { outcomes: payments.map((one) => outcomeOf(text(one, "paymentId"))) };
}

type Asked = {
  debtor: string;
  pence: number | null;
  charge: number | null;
  payee: string | null;
  number: string;
};

/** Returns why a payment cannot be made, or null. */
function refusalOf({ debtor, pence, charge, payee, number }: Asked): Reason | null {
  const found = accounts.get(debtor);
  if (!found) return "AC02";
  if (found.status !== "Enabled") return "AC06";
  if (pence === null || charge === null) return "AM03";
  if (payee === debtor) return "AC03";
  if (payee === null && number.startsWith(sortCode)) return "AC01";
  return fundsOf(debtor).available < pence + charge ? "AM04" : null;
}

function execute(payments: unknown[]) {
  const ids = payments.map((one) => text(one, "paymentId"));
  for (const id of ids) {
    if (sql.settle.run(id).changes === 0) continue;
    const { debtor, payee, pence, charge, reference } = paymentOf(id) as PaymentRow;
    sql.book.run(debtor, -pence - charge, now(), reference, id);
    if (payee) sql.book.run(payee, pence, now(), reference, id);
    // A real core sends other payments to the payment scheme here, and answers `pending`.
  }
  return { outcomes: ids.map(outcomeOf) };
}

function release(paymentIds: string[]) {
  for (const id of paymentIds) sql.release.run(id);
  return {};
}

// Account data: the cursor is the number of the last entry that was sent

function readChanges(query: URLSearchParams) {
  const [after, limit] = [query.get("after"), query.get("limit") ?? "500"];
  const newest = (sql.newest.get() as { seq: number }).seq;
  const start = Number(after ?? 0);
  if (!/^\d{1,15}$/.test(after ?? "0") || start > newest) {
    throw new Wrong("after is not a cursor of this core");
  }
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw new Wrong("limit must be a number");
  const entries = sql.entries.all(start, Number(limit)) as EntryRow[];
  const end = entries.at(-1)?.seq ?? start;
  const balances = sql.balances.all(start, end) as EntryRow[];
  return {
    ...(after === null ? firstFacts() : {}),
    transactions: entries.map(transactionOf),
    balances: balances.map(balanceOf),
    position: { cursor: String(end), ...(end === newest ? { deliveredUpTo: now() } : {}) },
  };
}

function firstFacts() {
  const state = { version: 1, openedOn: opened.slice(0, 10), statusUpdatedAt: opened };
  const clusters = ["account", "balances", "transactions"];
  return {
    accounts: [...accounts.values()].map((one) => ({
      ...one,
      ...state,
      isSwitched: false,
      statementDeliveries: [],
    })),
    holders: holders.flatMap(([accountId, ids]) => {
      const role = ids.length === 1 ? "owner" : "joint";
      return ids.map((customerId) => ({ version: 1, accountId, customerId, role }));
    }),
    delivered: holders.flatMap(([accountId]) =>
      clusters.map((cluster) => ({ accountId, cluster, asOf: opened })),
    ),
  };
}

const transactionOf = ({ seq, account, pence, at, text, payment }: EntryRow) => ({
  version: seq,
  accountId: account,
  transactionId: `entry-${seq}`,
  indicator: pence < 0 ? "Debit" : "Credit",
  status: "Booked",
  bookedAt: at,
  amount: { amountMinor: Math.abs(pence), currency: "GBP" },
  information: text,
  bookingId: payment,
});

const balanceOf = ({ seq, account, pence, at }: EntryRow) => ({
  version: seq,
  accountId: account,
  currency: "GBP",
  statedAt: at,
  balances: [{ type: "InterimBooked", amountMinor: pence }],
});

// HTTP: each operation has a path and a function of the body

const operations: Record<string, (body: unknown) => object> = {
  "/customers/authenticate": (body) => authenticate(text(body, "login"), text(body, "password")),
  "/customers/read": (body) => {
    const id = text(body, "customerId");
    return { customer: customers.find((one) => one.customerId === id) ?? null };
  },
  "/customers/accounts": (body) =>
    listAccounts(text(body, "customerId"), member(member(body, "wanted"), "funds") === true),
  "/challenges/start": (body) => challenge(text(body, "customerId")),
  "/challenges/verify": (body) => verify(text(body, "challengeId"), text(body, "code")),
  "/accounts/read": (body) => ({ account: accounts.get(text(body, "accountId")) ?? null }),
  "/accounts/find": (body) => ({
    account: numbered(text(body, "schemeName"), text(body, "identification")),
  }),
  "/accounts/funds": (body) => {
    const known = texts(body, "accountIds").filter((id) => accounts.has(id));
    return { accounts: known.map((accountId) => ({ accountId, funds: fundsJson(accountId) })) };
  },
  "/accounts/confirm-funds": (body) =>
    confirmFunds(text(body, "accountId"), member(body, "amount")),
  "/payments/price": () => ({ price: null }), // this bank pays in pounds only
  "/payments/reserve": (body) => reserve(list(body, "payments")),
  "/payments/execute": (body) => execute(list(body, "payments")),
  "/payments/ask": (body) => ({ outcomes: texts(body, "paymentIds").map(outcomeOf) }),
  "/payments/release": (body) => release(texts(body, "paymentIds")),
  "/test/customers": () => ({
    customers: customers.map((one) => ({
      ...one,
      password: testPasswords[one.login],
      description: "A test customer",
    })),
  }),
  "/test/code": (body) => ({ code: challenges.has(text(body, "challengeId")) ? testCode : null }),
};
const mostBytes = 16 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new Wrong("the body is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Wrong("the body is not JSON");
  }
}

/** Runs a function in one transaction: all of it is stored, or nothing. */
function inTransaction(run: () => object): object {
  db.exec("begin immediate");
  try {
    const answer = run();
    db.exec("commit");
    return answer;
  } catch (error) {
    db.exec("rollback");
    throw error;
  }
}

/** Returns the answer to a request, or null if there is no such operation. */
async function answerTo(request: IncomingMessage): Promise<object | null> {
  if (request.headers["aldgate-contract"] !== "1") {
    throw new Wrong("the header Aldgate-Contract must be 1");
  }
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://core");
  if (request.method === "GET") {
    if (pathname === "/about") return about;
    return pathname === "/changes" ? inTransaction(() => readChanges(searchParams)) : null;
  }
  const operation = Object.hasOwn(operations, pathname) ? operations[pathname] : undefined;
  const body = await readBody(request);
  return operation ? inTransaction(() => operation(body)) : null;
}

function send(response: ServerResponse, status: number, body: object): void {
  const type = status === 200 ? "application/json" : "application/problem+json";
  response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
}

const server = createServer(async (request, response) => {
  const fail = (status: number, outcome: string, title: string): void =>
    send(response, status, { title, status, outcome });
  try {
    const answer = await answerTo(request);
    if (answer) send(response, 200, answer);
    else fail(404, "retry", "there is no such operation");
  } catch (error) {
    if (error instanceof Wrong) return fail(400, "refused", error.message);
    if (request.destroyed && !request.complete) return; // the connection was lost
    console.error(`${request.url} failed: ${(error as Error).name}`); // no customer's data
    fail(500, "unknown", "the core failed");
  }
});

inTransaction(() => {
  if ((sql.newest.get() as { seq: number }).seq > 0) return {};
  for (const [id, pence] of Object.entries(openingPence)) {
    sql.book.run(id, pence, opened, "Opening deposit", null);
  }
  return {};
});
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`Open at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
