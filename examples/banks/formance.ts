// A bank's core for Aldgate whose books are in Formance Ledger, in one file and without packages. It
// needs Node.js 24 or later, and Formance Ledger 2.4 or later with its PostgreSQL.
//
// ledger serve --bind 127.0.0.1:3068 --auto-upgrade --postgres-uri postgres://…
// node examples/banks/formance.ts 9090 http://127.0.0.1:3068
// ALDGATE_DATA=./data-formance ./aldgate start --bank http://127.0.0.1:9090
//
// An account has the ledger's accounts `accounts:ID:main` and `accounts:ID:held`, and a payment has
// `payments:ID`, whose metadata are its state. Money and state change in one transaction of the
// ledger. Its reference is unique, so a payment begins once and ends once, whoever asks how often.

import { randomUUID, scryptSync, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Record<string, unknown>;

const about = {
  contract: 1,
  name: "Sample bank on Formance Ledger",
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

// The ledger: https://docs.formance.com/modules/ledger

const [port = "9090", url = "http://127.0.0.1:3068", name = "aldgate"] = process.argv.slice(2);
const asset = "GBP/2";
const mostPerPage = 100;

type Posting = { source: string; destination: string; amount: number; asset: string };
type LedgerAccount = {
  address: string;
  metadata: Record<string, string>;
  volumes?: Record<string, { balance: number }>;
};
type Log = {
  id: number;
  type: string;
  date: string;
  data: {
    transaction?: { postings: Posting[]; timestamp: string; metadata: Record<string, string> };
  };
};

const posting = (source: string, destination: string, amount: number): Posting => ({
  source,
  destination,
  amount,
  asset,
});

// Many calls at once can stall the ledger, which has 20 connections to PostgreSQL.
let freeCalls = 8;
const waiting: (() => void)[] = [];
const longestMs = 10_000;

async function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
  if (freeCalls > 0) freeCalls -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await run();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else freeCalls += 1;
  }
}

/** Calls the ledger. Throws if it fails. A status of 400 or 409 is an answer. */
const call = (path: string, sent?: object): Promise<{ status: number; body: Json }> =>
  inTurn(() => exchange(path, sent));

async function exchange(path: string, sent?: object): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${url}/v2/${name}${path}`, {
    ...(sent ? { method: "POST", body: JSON.stringify(sent) } : {}),
    headers: { "content-type": "application/json" },
    signal: AbortSignal.timeout(longestMs), // then Aldgate asks what has become of it
  });
  const answer = await response.text();
  const { status } = response;
  if (!response.ok && status !== 400 && status !== 409) {
    throw new Error(`the ledger answered ${status}`);
  }
  return { status, body: answer === "" ? {} : (JSON.parse(answer) as Json) };
}

async function listOf<Row>(path: string, query: object, more: object = {}): Promise<Row[]> {
  const parameters = { query: JSON.stringify(query), pageSize: String(mostPerPage), ...more };
  const { status, body } = await call(`${path}?${new URLSearchParams(parameters)}`);
  if (status !== 200) throw new Error("the ledger has refused a question");
  return (body.cursor as { data: Row[] }).data;
}

/** Reads accounts of the ledger by their addresses. */
async function readAccounts(addresses: string[]): Promise<Map<string, LedgerAccount>> {
  const found = new Map<string, LedgerAccount>();
  for (let first = 0; first < addresses.length; first += mostPerPage) {
    const some = addresses.slice(first, first + mostPerPage);
    const query = { $in: { address: some } };
    const rows = await listOf<LedgerAccount>("/accounts", query, { expand: "volumes" });
    for (const one of rows) found.set(one.address, one);
  }
  return found;
}

type Transaction = {
  /** The ledger accepts each reference once. */
  reference: string;
  postings: Posting[];
  metadata?: Record<string, string>;
  accountMetadata?: Record<string, Record<string, string>>;
  timestamp?: string;
};

/** Makes a transaction, unless its reference is taken. Returns false if money is missing. */
async function transact(transaction: Transaction): Promise<boolean> {
  const { status, body } = await call("/transactions", transaction);
  if (status !== 400) return true;
  if (body.errorCode === "INSUFFICIENT_FUND") return false;
  throw new Error("the ledger has refused a transaction");
}

// Accounts and balances

const mainOf = (accountId: string): string => `accounts:${accountId}:main`;
const heldOf = (accountId: string): string => `accounts:${accountId}:held`;

type Funds = { booked: number; available: number };

/** Reads the funds of accounts, all at one moment. */
async function fundsOf(accountIds: string[]): Promise<Map<string, Funds>> {
  const found = await readAccounts(accountIds.flatMap((id) => [mainOf(id), heldOf(id)]));
  const balance = (address: string): number => found.get(address)?.volumes?.[asset]?.balance ?? 0;
  return new Map(
    accountIds.map((id) => {
      const available = balance(mainOf(id));
      return [id, { available, booked: available + balance(heldOf(id)) }];
    }),
  );
}

const fundsJson = ({ booked, available }: Funds = { booked: 0, available: 0 }) => ({
  booked: decimalOf(booked),
  available: decimalOf(available),
  currency: "GBP",
});

async function listAccounts(customerId: string, withFunds: boolean) {
  const ids = holders.filter(([, ids]) => ids.includes(customerId)).map(([id]) => id);
  const funds = withFunds ? await fundsOf(ids) : null;
  return {
    accounts: ids.map((id) => ({
      ...accounts.get(id),
      ...(funds ? { funds: fundsJson(funds.get(id)) } : {}),
    })),
  };
}

const numbered = (schemeName: string, number: string): Account | null =>
  (schemeName === "UK.OBIE.SortCodeAccountNumber" &&
    [...accounts.values()].find((one) => one.sortCodeAccountNumber === number)) ||
  null;

async function confirmFunds(accountId: string, amount: unknown) {
  const pence = penceOf(amount);
  if (accounts.get(accountId)?.status !== "Enabled" || pence === null) return { isCovered: false };
  const funds = await fundsOf([accountId]);
  return { isCovered: (funds.get(accountId)?.available ?? 0) >= pence };
}

// Payments: each is made at most once, whatever arrives how often

const addressOf = (paymentId: string): string => `payments:${paymentId}`;

/** What the metadata of a payment say. A text is never longer than the contract allows. */
type Payment = {
  state: "reserved" | "refused" | "settled";
  reason?: Reason;
  debtor?: string;
  /** Where the money goes. */
  payee?: string;
  pence?: string;
  charge?: string;
  text?: string;
};

async function readPayments(ids: string[]): Promise<Map<string, Payment>> {
  // other ids cannot be an address, and have never been given to this core
  const known = ids.filter((id) => /^[\w-]{1,200}$/.test(id));
  const found = await readAccounts(known.map(addressOf));
  return new Map(
    known.flatMap((id) => {
      const { metadata } = found.get(addressOf(id)) ?? {};
      return metadata?.state === undefined ? [] : [[id, metadata as unknown as Payment]];
    }),
  );
}

async function outcomesOf(ids: string[]) {
  const payments = await readPayments([...new Set(ids)]);
  const outcomes = ids.map((paymentId): Json => {
    const { state, reason } = payments.get(paymentId) ?? { state: "unknown" };
    if (state === "settled") return { paymentId, state, posted: true };
    if (state !== "refused" || !reason) return { paymentId, state };
    return { paymentId, state, reason: { code: reason, text: reasons[reason] } };
  });
  return { outcomes };
}

type Instruction = {
  id: string;
  debtor: string;
  pence: number | null;
  charge: number | null;
  payee: string | null;
  number: string;
  text: string;
  isAbroad: boolean;
};

function instructionOf(given: unknown): Instruction {
  const [charged, creditor] = [member(given, "charge") ?? null, member(given, "creditor")];
  const reference = member(given, "reference") ?? "";
  if (typeof reference !== "string") throw new Wrong("reference must be a text or null");
  const [id, number] = [text(given, "paymentId"), text(creditor, "identification")];
  if (!/^[\w-]{1,200}$/.test(id)) throw new Wrong("paymentId must have letters and digits only");
  return {
    id,
    debtor: text(given, "debtorAccountId"),
    pence: penceOf(member(given, "amount")),
    charge: charged === null ? 0 : penceOf(charged),
    payee: numbered(text(creditor, "schemeName"), number)?.accountId ?? null,
    number,
    text: reference,
    isAbroad: (member(given, "international") ?? null) !== null,
  };
}

async function reserve(given: unknown[]) {
  const payments = given.map(instructionOf);
  const ids = payments.map(({ id }) => id);
  const known = await readPayments(ids);
  await Promise.all(payments.filter(({ id }) => !known.has(id)).map(begin));
  return outcomesOf(ids);
}

/** The first transaction of a payment holds its money, or remembers why it is refused. */
async function begin(payment: Instruction): Promise<void> {
  const { id, debtor, payee, text: words } = payment;
  const [pence, charge] = [payment.pence ?? 0, payment.charge ?? 0];
  const reference = `${id} begins`;
  const reason = refusalOf(payment);
  const state = {
    state: "reserved",
    debtor,
    payee: payee === null ? "scheme:sent" : mainOf(payee),
    pence: String(pence),
    charge: String(charge),
    text: words,
  };
  const isHeld =
    reason === null &&
    (await transact({
      reference,
      postings: [posting(mainOf(debtor), heldOf(debtor), pence + charge)],
      accountMetadata: { [addressOf(id)]: state },
    }));
  if (isHeld) return;
  await transact({
    reference,
    postings: [posting("world", addressOf(id), 0)],
    accountMetadata: { [addressOf(id)]: { state: "refused", reason: reason ?? "AM04" } },
  });
}

/** Returns why a payment cannot be made, or null. Only the ledger knows whether it is covered. */
function refusalOf(payment: Instruction): Reason | null {
  const { debtor, pence, charge, payee, number, isAbroad } = payment;
  const found = accounts.get(debtor);
  if (isAbroad) return "AG01";
  if (!found) return "AC02";
  if (found.status !== "Enabled") return "AC06";
  if (pence === null || charge === null) return "AM03";
  if (payee === debtor) return "AC03";
  return payee === null && number.startsWith(sortCode) ? "AC01" : null;
}

/** The last transaction of a payment pays it, or lets its money go. */
async function end(id: string, payment: Payment, isPaid: boolean): Promise<void> {
  const { debtor = "", payee = "", text: words = "" } = payment;
  const [pence, charge] = [Number(payment.pence), Number(payment.charge)];
  const from = heldOf(debtor);
  const paid = [posting(from, payee, pence), posting(from, "bank:charges", charge)];
  await transact({
    reference: `${id} ends`,
    postings: isPaid ? paid : [posting(from, mainOf(debtor), pence + charge)],
    metadata: { text: words, payment: id },
    accountMetadata: {
      [addressOf(id)]: isPaid ? { state: "settled" } : { state: "refused", reason: "MS03" },
    },
  });
  // A real core sends other payments to the payment scheme here, and answers `pending`.
}

async function endAll(ids: string[], isPaid: boolean): Promise<void> {
  const payments = await readPayments([...new Set(ids)]);
  const reserved = [...payments].filter(([, { state }]) => state === "reserved");
  await Promise.all(reserved.map(([id, payment]) => end(id, payment, isPaid)));
}

async function execute(payments: unknown[]) {
  const ids = payments.map((one) => text(one, "paymentId"));
  await endAll(ids, true);
  return outcomesOf(ids);
}

async function release(ids: string[]) {
  await endAll(ids, false);
  return {};
}

// Account data: the cursor is the number of the last log of the ledger that was read

async function readChanges(query: URLSearchParams) {
  const [after, limit] = [query.get("after"), query.get("limit") ?? "100"];
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw new Wrong("limit must be a number");
  const [newest] = await listOf<Log>("/logs", {}, { pageSize: "1", sort: "id:desc" });
  const start = Number(after ?? 0);
  if (!/^\d{1,15}$/.test(after ?? "0") || start > (newest?.id ?? 0)) {
    throw new Wrong("after is not a cursor of this core");
  }
  const pageSize = Math.min(Number(limit), mostPerPage);
  const page = { pageSize: String(pageSize), sort: "id:asc" };
  const logs = await listOf<Log>("/logs", { $gt: { id: start } }, page);
  const end = logs.at(-1)?.id ?? start;
  const entries = logs.flatMap(entriesOf);
  const touched = [...new Map(entries.map((one) => [one.accountId, one.bookedAt]))];
  const funds = await fundsOf(touched.map(([id]) => id));
  return {
    ...(after === null ? firstFacts() : {}),
    transactions: entries,
    balances: touched.map(([accountId, at]) => ({
      version: end,
      accountId,
      currency: "GBP",
      statedAt: at,
      balances: [{ type: "InterimBooked", amountMinor: funds.get(accountId)?.booked ?? 0 }],
    })),
    position: {
      cursor: String(end),
      ...(logs.length < pageSize ? { deliveredUpTo: now() } : {}),
    },
  };
}

/** What a transaction of the ledger is for each account that it changes, without its holds. */
function entriesOf({ id, date, data: { transaction } }: Log) {
  const sums = new Map<string, number>();
  const add = (address: string, pence: number): void => {
    const accountId = /^accounts:([\w-]+):/.exec(address)?.[1];
    if (accountId !== undefined) sums.set(accountId, (sums.get(accountId) ?? 0) + pence);
  };
  for (const { source, destination, amount } of transaction?.postings ?? []) {
    add(source, -amount);
    add(destination, amount);
  }
  const { text: words = "", payment = null } = transaction?.metadata ?? {};
  return [...sums]
    .filter(([, pence]) => pence !== 0)
    .map(([accountId, pence]) => ({
      version: id,
      accountId,
      transactionId: `log-${id}-${accountId}`,
      indicator: pence < 0 ? "Debit" : "Credit",
      status: "Booked",
      bookedAt: date,
      amount: { amountMinor: Math.abs(pence), currency: "GBP" },
      information: words,
      bookingId: payment,
    }));
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

// HTTP: each operation has a path and a function of the body

const operations: Record<string, (body: unknown) => object | Promise<object>> = {
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
  "/accounts/funds": async (body) => {
    const known = texts(body, "accountIds").filter((id) => accounts.has(id));
    const found = await fundsOf(known);
    const rows = [...found].map(([accountId, funds]) => ({ accountId, funds: fundsJson(funds) }));
    return { accounts: rows };
  },
  "/accounts/confirm-funds": (body) =>
    confirmFunds(text(body, "accountId"), member(body, "amount")),
  "/payments/price": () => ({ price: null }), // this bank pays in pounds only
  "/payments/reserve": (body) => reserve(list(body, "payments")),
  "/payments/execute": (body) => execute(list(body, "payments")),
  "/payments/ask": (body) => outcomesOf(texts(body, "paymentIds")),
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

/** Returns the answer to a request, or null if there is no such operation. */
async function answerTo(request: IncomingMessage): Promise<object | null> {
  if (request.headers["aldgate-contract"] !== "1") {
    throw new Wrong("the header Aldgate-Contract must be 1");
  }
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://core");
  if (request.method === "GET") {
    if (pathname === "/about") return about;
    return pathname === "/changes" ? readChanges(searchParams) : null;
  }
  const operation = Object.hasOwn(operations, pathname) ? operations[pathname] : undefined;
  const body = await readBody(request);
  return operation ? operation(body) : null;
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

/** Creates the ledger, and pays in the opening deposits once. */
async function open(): Promise<void> {
  await call("", {});
  for (const [id, pence] of Object.entries(openingPence)) {
    await transact({
      reference: `opening of ${id}`,
      postings: [posting("world", mainOf(id), pence)],
      metadata: { text: "Opening deposit" },
    });
  }
}

await open();
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`Open at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
