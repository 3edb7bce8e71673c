import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accountVersions } from "#src/accounts/account-versions.ts";
import { type Config, loadConfig } from "#src/config/config.ts";
import { assert, present } from "#src/lib/assert.ts";
import { sortCodeText } from "#src/pages/wording.ts";
import {
  type PaymentKind,
  type ServedKind,
  servedKinds,
} from "#src/payments/kinds/payment-kind.ts";
import type { DemoCreditor } from "#src/payments/wires/example.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import {
  type Answer,
  type Call,
  type Tokens,
  TppClient,
} from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { migrate } from "#src/storage/migrate.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { readOptions, textOf } from "./options.ts";
import { listenForRedirects, type RedirectListener } from "./redirect-listener.ts";
import { configuredSandbox, type SandboxClient, sandboxClient } from "./sandbox-client.ts";

/** The path of an API below the base of all: `/v3.1/aisp`. */
const pathOf = ({ basePath }: ApiVersion): string => basePath.replace("/api/open-banking", "");

/** The paths of account information by the names of the versions in them: `v3.1`. */
const aispVersions = new Map(
  accountVersions.map(({ api }) => [pathOf(api).split("/")[1] ?? "", pathOf(api)]),
);
const aispNames = [...aispVersions.keys()];
const final = new Set(["ACCC", "ACWP", "RJCT", "CANC"]);
// the redirect URI of the headless customer: nothing listens there
const unheardUri = "http://localhost:7879/callback";

/** `./aldgate demo`, and what `npm run demo` runs. */
export const command: Command = {
  name: "demo",
  summary: "runs the whole journey: consent, approval, payment, settlement, account read back",
  async usage(cli) {
    const [first, ...others] = await cli.kinds();
    return [
      `  --kind KIND     ${first?.id} (default), or`,
      ...others.map(({ id }) => `                  ${id}`),
      `  --aisp VERSION  reads the account back on ${aispNames.join(" (default) or ")}`,
      "  --browser       prints the link and waits for you to approve in a browser",
      "Uses the running bank. If no bank answers, opens one for the duration of the demo.",
    ].join("\n");
  },
  async run(cli) {
    const kinds = await cli.kinds();
    const { values } = readOptions(cli.arguments, {
      kind: { type: "string", default: kinds[0]?.id ?? "" },
      aisp: { type: "string", default: aispNames[0] ?? "" },
      browser: { type: "boolean" },
    });
    const name = textOf(values.kind) ?? "";
    // on its newest version
    const kind = kinds
      .filter(({ id }) => id === name)
      .flatMap(servedKinds)
      .at(-1);
    if (!kind) {
      throw new UsageError(`--kind must be one of ${kinds.map(({ id }) => id).join(", ")}.`);
    }
    const aispPath = aispVersions.get(textOf(values.aisp) ?? "");
    if (aispPath === undefined) {
      throw new UsageError(`--aisp must be one of ${aispNames.join(", ")}.`);
    }
    const stage = await openStage(cli, kinds);
    const returns = values.browser ? await listenForRedirects() : null;
    const demo = new Demo(cli, stage.sandbox, { kind, aispPath, returns });
    try {
      await demo.run();
      return 0;
    } catch (error) {
      cli.complain(`\nThe journey did not go as expected: ${(error as Error).message}`);
      return 1;
    } finally {
      demo.close();
      returns?.close();
      await stage.close();
    }
  },
};

type Stage = { sandbox: SandboxClient; close(): Promise<void> };

/** The running bank, or a new one in a folder that is deleted afterwards. */
async function openStage(cli: Cli, kinds: readonly PaymentKind[]): Promise<Stage> {
  const running = configuredSandbox(cli);
  if (await running.isOpen()) {
    cli.print(`Using the bank at ${running.bank.publicUrl}`);
    return { sandbox: running, close: async () => undefined };
  }
  cli.print("No bank answers. Opening one for the demo (a few seconds) …");
  return openOwnStage(cli, kinds);
}

// Enough to look at; 100,000 transactions would take a minute.
const newestTransactions = 300;

/** A bank in memory, whatever the configuration says, that exists only during the demo. */
async function openOwnStage({ clock }: Cli, kinds: readonly PaymentKind[]): Promise<Stage> {
  const { openServer } = await import("#src/server/open-server.ts");
  const { openPglite } = await import("#src/storage/pglite.ts");
  const folder = mkdtempSync(join(tmpdir(), "aldgate-demo-"));
  const database = await openPglite({});
  await migrate(database);
  await seedPersonas(database, { now: clock.now(), newest: newestTransactions });
  const config: Config = {
    ...loadConfig({}),
    ALDGATE_DATA: folder,
    PUBLIC_PORT: 0,
    MTLS_PORT: 0,
    LOG_LEVEL: "error",
  };
  const aldgate = await openServer({ config, clock, kinds, database, onProgress: () => undefined });
  return {
    sandbox: sandboxClient(aldgate, aldgate.sandbox?.directory.caPem),
    async close() {
      await aldgate.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Journey = {
  kind: ServedKind;
  /** The base path of account information below `/api/open-banking`: `/v3.1/aisp`. */
  aispPath: string;
  /** Where a person comes back; null for the headless customer. */
  returns: RedirectListener | null;
};

class Demo {
  readonly #cli: Cli;
  readonly #sandbox: SandboxClient;
  readonly #kind: ServedKind;
  readonly #aispPath: string;
  readonly #returns: RedirectListener | null;
  #tpp: TppClient | undefined;
  #step = 0;

  constructor(cli: Cli, sandbox: SandboxClient, { kind, aispPath, returns }: Journey) {
    this.#cli = cli;
    this.#sandbox = sandbox;
    this.#kind = kind;
    this.#aispPath = aispPath;
    this.#returns = returns;
  }

  close(): void {
    this.#tpp?.close();
  }

  async run(): Promise<void> {
    const { payer, payee } = await this.#chooseCustomers();
    const client = await this.#register();
    const before = await this.#balances(payer, payee);
    const paymentId = await this.#pay(client, payer, payee);
    const after = await this.#balances(payer, payee);
    await this.#readBack(client, payer, paymentId);
    this.#money(payer, payee, before, after);
    const breaches = await this.#sandbox.verify();
    assert(breaches.length === 0, `the ledger holds: ${breaches.join("; ")}`);
    this.#cli.print("\nDone: the payment settled, both sides of it are on the ledger, and the");
    this.#cli.print("TPP found it in the account's transactions.");
  }

  async #chooseCustomers(): Promise<{ payer: SandboxCustomer; payee: SandboxCustomer }> {
    const customers = await this.#sandbox.listCustomers();
    const personal = customers.filter(({ accounts }) => accounts.some(isSimpleCurrentAccount));
    return { payer: present(personal[0], "a payer"), payee: present(personal[1], "a payee") };
  }

  async #register(): Promise<TppClient> {
    const request = {
      name: "Demo TPP",
      roles: ["AISP" as const, "PISP" as const],
      redirectUris: [this.#returns?.redirectUri ?? unheardUri],
      tokenEndpointAuthMethod: "private_key_jwt" as const,
      certificateBound: true,
    };
    const created = await this.#sandbox.createTpp(request);
    this.#tell("A TPP registers", "POST /sandbox/v1/tpps", `201, client ${created.clientId}`);
    this.#tpp = new TppClient(this.#sandbox.bank, { ...created, ...request });
    return this.#tpp;
  }

  async #pay(client: TppClient, payer: SandboxCustomer, payee: SandboxCustomer): Promise<string> {
    const kind = this.#kind;
    const base = `${pathOf(kind.wire.version)}/${kind.id}`;
    const ours = await client.clientToken("payments");
    this.#tell("It gets a token", "POST /token client_credentials", "bound to its certificate");
    const creditor = kind.demo.creditor ?? accountOf(payee);
    const now = await this.#sandbox.now();
    const { consent: body, order: ordered, file } = kind.wire.demo(creditor, now);
    const consent = await this.#call<Resource>(client, "It creates a consent", 201, {
      path: `${base}-consents`,
      token: ours,
      body,
    });
    assert(await client.verifySignature(consent), "the bank signed its answer");
    const consentId = String(consent.body.Data.ConsentId);
    if (file !== undefined) {
      const path = `${base}-consents/${consentId}/file`;
      await this.#call(client, "It uploads the file", 200, { path, token: ours, body: file });
    }
    const theirs = await this.#approve(client, "payments", consentId, payer);
    const submit = (what: string, token: string, status = 201) =>
      this.#call<Resource>(client, what, status, {
        path: `${base}s`,
        token,
        body: { ...ordered, Data: { ...ordered.Data, ConsentId: consentId } },
      });
    let order = await submit("It makes the payment", theirs.access_token);
    if (kind.demo.nextPeriod) {
      await submit("It makes another payment under the same consent", theirs.access_token);
      await submit("The limit is used up, so the next one is refused", theirs.access_token, 400);
      await this.#advance(kind.demo.nextPeriod);
      const renewed = await client.refresh(present(theirs.refresh_token, "a refresh token"));
      order = await submit("In the next period it pays again", renewed.access_token);
    }
    const orderId = String(order.body.Data[kind.orderIdField]);
    if (kind.demo.advance) await this.#advance(kind.demo.advance);
    return this.#settle(client, `${base}s/${orderId}`);
  }

  async #advance(duration: string): Promise<void> {
    await this.#sandbox.advance(duration);
    this.#tell("Time passes", `PUT /sandbox/v1/clock {advance: ${duration}}`, "200");
  }

  async #settle(client: TppClient, path: string): Promise<string> {
    // a token may have expired when the clock went forward
    const token = await client.clientToken("payments");
    const details = `${path}/payment-details`;
    let first: Details["Data"]["PaymentStatus"][number] | undefined;
    for (let tries = 0; tries < 200; tries += 1) {
      const { body } = await client.call<Details>({ path: details, token });
      [first] = body.Data.PaymentStatus;
      if (first && final.has(first.Status)) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { body } = await client.call<Resource>({ path, token });
    const status = String(body.Data.Status);
    this.#tell("The engine executes it", `GET ${path}`, `200, Status ${status}`);
    await this.#call<Details>(client, "Its details", 200, { path: details, token });
    const executed = present(first, "an entry of payment-details");
    assert(executed.Status !== "RJCT", `the payment was accepted, not ${JSON.stringify(first)}`);
    return executed.PaymentTransactionId;
  }

  async #readBack(client: TppClient, payer: SandboxCustomer, paymentId: string): Promise<void> {
    const ours = await client.clientToken("accounts");
    const permissions = [
      "ReadAccountsDetail",
      "ReadBalances",
      "ReadTransactionsDetail",
      "ReadTransactionsCredits",
      "ReadTransactionsDebits",
    ];
    const consent = await this.#call<Resource>(client, "It asks to read the account", 201, {
      path: `${this.#aispPath}/account-access-consents`,
      token: ours,
      body: { Data: { Permissions: permissions }, Risk: {} },
    });
    const consentId = String(consent.body.Data.ConsentId);
    const { access_token: theirs } = await this.#approve(client, "accounts", consentId, payer);
    await this.#call(client, "It lists the accounts", 200, {
      path: `${this.#aispPath}/accounts`,
      token: theirs,
    });
    const accountId = present(payer.accounts.find(isSimpleCurrentAccount), "an account").accountId;
    const page = await this.#call<Transactions>(client, "It reads the transactions", 200, {
      path: `${this.#aispPath}/accounts/${accountId}/transactions`,
      token: theirs,
    });
    const found = page.body.Data.Transaction.find((one) => JSON.stringify(one).includes(paymentId));
    assert(found, `the payment ${paymentId} is among the account's transactions`);
    this.#cli.print(`\n   ${JSON.stringify(found)}`);
  }

  async #approve(
    client: TppClient,
    scope: "accounts" | "payments",
    consentId: string,
    customer: SandboxCustomer,
  ): Promise<Tokens> {
    const authorizationUrl = await client.authorizationUrl({ scope, consentId });
    const usable = customer.accounts.filter(isSimpleCurrentAccount);
    let redirectUrl: string;
    if (this.#returns) {
      const account = present(usable[0], "an account");
      this.#cli.print(`\n   Open this link, log in as ${customer.login} with the password`);
      this.#cli.print(`   ${customer.password}, and choose the account`);
      this.#cli.print(`   ${account.nickname} (${sortCodeText(account.identification)}):`);
      this.#cli.print(`\n${authorizationUrl}\n`);
      redirectUrl = await this.#returns.next();
    } else {
      const accounts = usable.map((one) => one.accountId);
      const chosen = scope === "payments" ? accounts.slice(0, 1) : accounts;
      const request = { authorizationUrl, customer: customer.login, accounts: chosen };
      ({ redirectUrl } = await this.#sandbox.authorise({ ...request, decision: "approve" }));
    }
    const tokens = await client.exchangeCode(redirectUrl);
    const short = `${redirectUrl.slice(0, redirectUrl.indexOf("#") + 12)}…`;
    this.#tell(`${customer.name} approves`, "GET /auth, login, second factor, review", short);
    return tokens;
  }

  async #call<Body>(
    client: TppClient,
    what: string,
    status: number,
    call: Call,
  ): Promise<Answer<Body>> {
    const answer = await client.call<Body>(call);
    const method = call.method ?? (call.body === undefined ? "GET" : "POST");
    const text = answer.raw.toString();
    this.#tell(what, `${method} ${call.path}`, `${answer.status} ${shorten(text)}`);
    assert(
      answer.status === status,
      `${call.path} answers ${status}, not ${answer.status} ${text}`,
    );
    return answer;
  }

  async #balances(...customers: SandboxCustomer[]): Promise<string[]> {
    const all = await this.#sandbox.listCustomers();
    return customers.map((customer) => {
      const now = all.find(({ login }) => login === customer.login);
      return present(now?.accounts.find(isSimpleCurrentAccount), "the account").balance;
    });
  }

  #money(payer: SandboxCustomer, payee: SandboxCustomer, before: string[], after: string[]): void {
    this.#cli.print(`\n   ${"".padEnd(24)}${"before".padStart(14)}${"after".padStart(14)}`);
    [payer, payee].forEach(({ name }, index) => {
      const [was = "", is = ""] = [before[index], after[index]];
      this.#cli.print(`   ${name.padEnd(24)}${was.padStart(14)}${is.padStart(14)}`);
    });
    if (this.#kind.demo.advance === null) {
      assert(before.join() !== after.join(), "money moved");
    }
  }

  #tell(what: string, sent: string, answered: string): void {
    this.#step += 1;
    const bold = this.#cli.isTerminal ? `\u001b[1m${what}\u001b[0m` : what;
    this.#cli.print(`\n${String(this.#step).padStart(2)} ${bold}`);
    this.#cli.print(`   → ${sent}`);
    this.#cli.print(`   ← ${answered}`);
  }
}

type Resource = { Data: Record<string, unknown> };
type Details = { Data: { PaymentStatus: { PaymentTransactionId: string; Status: string }[] } };
type Transactions = { Data: { Transaction: object[] } };

/** The account that a customer of this bank is paid on. */
function accountOf({ name, accounts }: SandboxCustomer): DemoCreditor {
  const account = present(accounts.find(isSimpleCurrentAccount), "the payee's account");
  return { SchemeName: account.schemeName, Identification: account.identification, Name: name };
}

const shorten = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

const isSimpleCurrentAccount = (account: SandboxCustomer["accounts"][number]): boolean =>
  account.accountSubType === "CurrentAccount" &&
  account.schemeName === "UK.OBIE.SortCodeAccountNumber" &&
  account.signatoriesRequired === 1;
