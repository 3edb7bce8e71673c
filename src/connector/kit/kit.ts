// What the cases of the conformance kit work with: calls of the port over HTTP, whose answers must
// fit the contract, and the customers, accounts and payments of one run.

import { whyInvalid } from "#src/bank/checked-answer.ts";
import type { BankPart } from "#src/bank/parts.ts";
import type {
  AccountFunds,
  Bank,
  BankAccount,
  BankCustomer,
  PaymentInstruction,
  PaymentOutcome,
} from "#src/bank/port.ts";
import type { CallName } from "#src/bank/port-answers.ts";
import { type CallGroup, portCalls } from "#src/bank/port-calls.ts";
import { toJson } from "#src/connector/json-values.ts";
import { callRows, otherRows, paymentIdOf } from "#src/connector/operations.ts";
import { type BodyCheck, compileBody } from "#src/connector/read-body.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import { formatAmount, parseAmount } from "#src/lib/money.ts";
import type { BankFile } from "./bank-file.ts";
import type { KitClient, KitExchange } from "./client.ts";
import type { Cut } from "./cut-request.ts";
import { CaseFailure, expectPaid, expectThat, NotAsked, shown } from "./expect.ts";

/** What a core says about itself. */
export type CoreAbout = {
  name: string;
  parts: readonly BankPart[];
  operations?: readonly string[];
  exchangeCurrencies?: readonly string[];
  readsContext?: boolean;
  attachesData?: boolean;
};

/** The arguments of a call of the port. */
type Given<Name extends CallName> = Parameters<NonNullable<Bank[Name]>>;
type Answer<Name extends CallName> = Awaited<ReturnType<NonNullable<Bank[Name]>>>;

/** An account of bank.json. */
export type AccountRole = keyof BankFile["accounts"];

type KitOptions = {
  client: KitClient;
  about: CoreAbout;
  file: BankFile;
  deadlinesMs: Readonly<Record<CallGroup, number>>;
  /** Runs a command of bank.json, and returns what it prints. */
  run(command: readonly string[]): Promise<string>;
  seed: number;
};

const aboutMs = 5_000;
const restartedWithinMs = 60_000;

/** One run of the kit. */
export class Kit {
  readonly client: KitClient;
  readonly about: CoreAbout;
  readonly file: BankFile;
  readonly seed: number;
  /** What the case has measured. */
  notes: string[] = [];
  /** The payments that were sent to `execute`, by id. */
  readonly executed = new Map<string, PaymentInstruction>();
  /** Values that several cases share. */
  readonly #shared = new Map<string, Promise<unknown>>();
  readonly #reserved = new Set<string>();
  readonly #checks = new Map<string, BodyCheck>();
  readonly #options: KitOptions;
  #spent = 0n;

  constructor(options: KitOptions) {
    this.#options = options;
    this.client = options.client;
    this.about = options.about;
    this.file = options.file;
    this.seed = options.seed;
  }

  /** Returns the value that an earlier case has made with this key, or makes it. */
  shared<Value>(key: string, make: () => Promise<Value>): Promise<Value> {
    const found = this.#shared.get(key) ?? make();
    this.#shared.set(key, found);
    found.catch(() => this.#shared.delete(key));
    return found as Promise<Value>; // a key has one maker
  }

  /** How long Aldgate waits for the answer of a call. */
  deadlineOf = (name: CallName): number => this.#options.deadlinesMs[portCalls[name].group];

  /** The body of a call with these arguments of the port. */
  bodyOf<Name extends CallName>(name: Name, given: Given<Name>): Record<string, unknown> {
    const members = Object.keys(callRows[name].arguments);
    const values: readonly unknown[] = given;
    const body = toJson(Object.fromEntries(members.map((one, index) => [one, values[index]])));
    return body as Record<string, unknown>; // an object stays one
  }

  /** Sends a call, and returns what came, whatever it is. */
  send<Name extends CallName>(
    name: Name,
    given: Given<Name>,
    more: { deadlineMs?: number; waitMs?: number; headers?: Record<string, string> } = {},
  ): Promise<KitExchange> {
    this.#note(name, given);
    const { path } = callRows[name];
    const body = this.bodyOf(name, given);
    return this.client.send({ path, body, deadlineMs: this.deadlineOf(name), ...more });
  }

  /** Makes a call whose connection is cut. */
  async cut<Name extends CallName>(name: Name, given: Given<Name>, when: Cut): Promise<void> {
    this.#note(name, given);
    const body = this.bodyOf(name, given);
    const request = { path: callRows[name].path, body, deadlineMs: this.deadlineOf(name) };
    await this.client.sendAndCut(request, when);
  }

  /** Makes a call. Its answer must be 200 and fit the contract. */
  async call<Name extends CallName>(name: Name, ...given: Given<Name>): Promise<Answer<Name>> {
    return this.read(name, given, await this.send(name, given));
  }

  /** Reads the answer to a call. It must be 200 and fit the contract. */
  read<Name extends CallName>(name: Name, given: Given<Name>, exchange: KitExchange): Answer<Name> {
    const { answer } = callRows[name];
    const body = this.readBody(name, answer.schema, exchange) as Record<string, unknown>;
    if (answer.items?.areOutcomes) expectOutcomes(given[0] as unknown[], body.outcomes);
    return answer.read(body as never, given) as Answer<Name>; // the schema has been checked
  }

  /** Reads a body by its schema, with the values of the port. */
  readBody(
    name: string,
    schema: Parameters<typeof compileBody>[0],
    exchange: KitExchange,
  ): unknown {
    return this.#checkOf(name, schema).decode(this.checkBody(name, schema, exchange));
  }

  /** Checks a body by its schema, and returns its JSON. */
  checkBody(
    name: string,
    schema: Parameters<typeof compileBody>[0],
    exchange: KitExchange,
  ): unknown {
    const body = expectJson(exchange);
    const { validator } = this.#checkOf(name, schema);
    if (validator.Check(body)) return body;
    const expected = `an answer to ${name} that fits the contract`;
    throw new CaseFailure(expected, whyInvalid(validator, body));
  }

  /** Asks what the core has. */
  sendAbout = (headers: Record<string, string | undefined> = {}): Promise<KitExchange> => {
    const { method, path } = otherRows.readAbout;
    return this.client.send({ method, path, body: null, headers, deadlineMs: aboutMs });
  };

  /** The customer whose login is the first or the second of bank.json. */
  customer(index: 0 | 1): Promise<BankCustomer> {
    return this.shared(`customer ${index}`, async () => {
      const { login, password } = this.loginOf(index);
      const found = await this.call("authenticate", login, password);
      expectThat(found !== null, `the login ${login} of bank.json with its password`, found);
      return found;
    });
  }

  loginOf = (index: 0 | 1) => present(this.file.customers[index], "the customer");

  /** The id of an account of bank.json. */
  idOf = (role: AccountRole): string => present(this.file.accounts[role], role);

  /** An account of bank.json. */
  account(role: AccountRole): Promise<BankAccount> {
    return this.shared(`account ${role}`, async () => {
      const id = this.idOf(role);
      const found = await this.call("loadAccount", id);
      expectThat(found !== null, `the account ${id}, which is "${role}" in bank.json`, found);
      return found;
    });
  }

  /** The balances of an account now. */
  async funds(accountId: string): Promise<AccountFunds> {
    const found = (await this.call("loadFunds", [accountId])).get(accountId);
    expectThat(found !== undefined, `the balances of ${accountId}`, "it has none");
    return found;
  }

  /** Does something, and returns by how much the balances of an account have changed. */
  async change(accountId: string, act: () => Promise<unknown>) {
    const before = await this.funds(accountId);
    await act();
    const after = await this.funds(accountId);
    return {
      booked: after.bookedMinor - before.bookedMinor,
      available: after.availableMinor - before.availableMinor,
    };
  }

  /** A new payment from `own`, of a few minor units unless it says otherwise. */
  async payment(members: Partial<PaymentInstruction> & { minor?: bigint } = {}) {
    const { currency } = await this.account("own");
    const { minor = 1n, ...rest } = members;
    const paymentId = newId("pay");
    return {
      paymentId,
      debtorAccountId: this.idOf("own"),
      amount: { amountMinor: minor, currency },
      charge: null,
      creditor: await this.#payee(),
      endToEndId: paymentId.slice(4),
      reference: "Conformance",
      localInstrument: null,
      international: null,
      ...rest,
    } satisfies PaymentInstruction;
  }

  /** The only outcome of a call about one payment. */
  async one(name: "reserve" | "execute", payment: PaymentInstruction): Promise<PaymentOutcome> {
    const [outcome] = await this.call(name, [payment]);
    return present(outcome, "the outcome");
  }

  /** What the core says about a payment. */
  async ask(paymentId: string): Promise<PaymentOutcome> {
    const [outcome] = await this.call("ask", [paymentId]);
    return present(outcome, "the outcome");
  }

  /** Reserves a payment that must be covered. */
  async reserve(payment: PaymentInstruction): Promise<void> {
    const outcome = await this.one("reserve", payment);
    expectThat(outcome.state === "reserved", "the payment to be reserved", outcome);
  }

  /** Reserves and executes a payment, so that its debtor is debited. */
  async pay(payment: PaymentInstruction): Promise<PaymentOutcome> {
    await this.reserve(payment);
    const outcome = await this.one("execute", payment);
    return expectPaid(outcome);
  }

  /** Does so with several payments in one call. */
  async payAll(payments: PaymentInstruction[]): Promise<void> {
    for (const outcome of await this.call("reserve", payments)) {
      expectThat(outcome.state === "reserved", "the payment to be reserved", outcome);
    }
    for (const outcome of await this.call("execute", payments)) expectPaid(outcome);
  }

  /** The code that the customer would enter. */
  async codeOf(challengeId: string): Promise<string> {
    const { code } = this.file;
    if (code && "fixed" in code) return code.fixed;
    if (code) return (await this.#options.run([...code.command, challengeId])).trim();
    if (!this.about.operations?.includes("readTestCode")) {
      throw new NotAsked("bank.json has no code, and the core has no readTestCode");
    }
    const { path, answer } = otherRows.readTestCode;
    const exchange = await this.client.send({ path, body: { challengeId }, deadlineMs: aboutMs });
    const found = this.readBody("readTestCode", answer, exchange) as { code: string | null };
    expectThat(found.code !== null, "the code of the challenge", found);
    return found.code;
  }

  /** Does in the bank's app what the customer would do there. */
  async answerInApp(challengeId: string, answer: "approve" | "decline"): Promise<void> {
    await this.#options.run([...present(this.file.app, "app"), answer, challengeId]);
  }

  /** Restarts the core, and waits until it answers again. */
  async restart(): Promise<void> {
    await this.#options.run(present(this.file.restart, "restart"));
    const end = performance.now() + restartedWithinMs;
    for (;;) {
      if ((await this.sendAbout()).status === 200) return;
      expectThat(performance.now() < end, "an answer to GET /about after the restart", "none");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Releases what the cases have reserved and not executed. */
  async cleanUp(): Promise<void> {
    const left = [...this.#reserved].filter((id) => !this.executed.has(id));
    this.#reserved.clear();
    if (left.length > 0) await this.send("release", [left]);
  }

  /** The check of an operation's answer, which is compiled once. */
  #checkOf(name: string, schema: Parameters<typeof compileBody>[0]): BodyCheck {
    const found = this.#checks.get(name) ?? compileBody(schema);
    this.#checks.set(name, found);
    return found;
  }

  async #payee(): Promise<PaymentInstruction["creditor"]> {
    const { payee } = this.file;
    if (payee) return { ...payee, secondaryIdentification: null };
    const account = await this.account("other");
    const { sortCodeAccountNumber: number, iban, secondaryIdentification } = account;
    const identification = number ?? iban;
    if (identification === null) throw new NotAsked("bank.json has no payee, and other no number");
    return {
      schemeName: number === null ? "UK.OBIE.IBAN" : "UK.OBIE.SortCodeAccountNumber",
      identification,
      name: account.holderName,
      secondaryIdentification: secondaryIdentification ?? null,
    };
  }

  /** Remembers the payments of a call. Throws NotAsked rather than spend too much. */
  #note(name: CallName, given: readonly unknown[]): void {
    if (name !== "reserve" && name !== "execute") return;
    const payments = given[0] as PaymentInstruction[]; // the arguments of these calls
    for (const payment of payments) {
      this.#reserved.add(payment.paymentId);
      if (name !== "execute" || this.executed.has(payment.paymentId)) continue;
      this.#spend(payment);
      this.executed.set(payment.paymentId, payment);
    }
  }

  #spend({ amount, charge }: PaymentInstruction): void {
    const most = parseAmount(this.file.mayBeSpent ?? "0", amount.currency) ?? 0n;
    const next = this.#spent + amount.amountMinor + (charge?.amountMinor ?? 0n);
    if (next > most) {
      const spent = formatAmount(this.#spent, amount.currency);
      throw new NotAsked(`mayBeSpent does not suffice: ${spent} have been spent`);
    }
    this.#spent = next;
  }
}

/** Fails unless there is an answer of status 200 with one JSON object. */
function expectJson({ status, answer, expectReadable }: KitExchange): unknown {
  expectThat(status === 200, "an answer of status 200", `${status ?? ""} ${answer}`.trim());
  expectReadable?.((why) => {
    const came = `an answer that ${why}: ${answer.slice(0, 200)}`;
    return new CaseFailure("an answer that Aldgate can read", came);
  });
  return JSON.parse(answer) as unknown;
}

function expectOutcomes(asked: readonly unknown[], found: unknown): void {
  const ids = (found as { paymentId: string }[]).map(({ paymentId }) => paymentId).sort();
  const wanted = asked.map(paymentIdOf).sort();
  const expected = `one outcome for each payment, by its id (${wanted.length})`;
  expectThat(shown(ids) === shown(wanted), expected, ids.length > 8 ? `${ids.length}` : ids);
}
