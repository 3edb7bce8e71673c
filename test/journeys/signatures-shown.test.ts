import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, mock, test } from "node:test";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import type { Bank, PaymentInstruction } from "#src/bank/port.ts";
import type { WholeConsent } from "#src/channels/consent-channel.ts";
import { present } from "#src/lib/assert.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import type { Sql } from "#src/storage/sql.ts";
import { openBankProvider } from "#test/auth/bank-provider.ts";
import { factsOn, textsIn } from "#test/auth/shown-facts.ts";
import { optionsOn, SoftPasskey } from "#test/auth/soft-passkey.ts";
import { forgetShowings } from "#test/auth/stored-rows.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { freePort } from "#test/free-port.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";
import { logIn } from "./log-in.ts";
import { lodge, type Order, order } from "./payments.ts";

// A payment that two customers must approve: the second signature has the same evidence as the
// first approval, by every way in which a customer can confirm it in the bank's own pages.

const token = "a-token-of-the-banks-own-channels";
const folder = mkdtempSync(join(tmpdir(), "aldgate-signatures-"));
let bank: TestBank;
let there: TestBank;
let provider: Awaited<ReturnType<typeof openBankProvider>>;
before(async () => {
  bank = await openBank({ CHANNELS_TOKEN: token });
  provider = await openBankProvider();
  const key = join(folder, "login.pem");
  writeFileSync(key, provider.clientKeyPem, { mode: 0o600 });
  const port = await freePort();
  await provider.serve(`http://localhost:${port}`);
  there = await openBank({
    ...{ CHANNELS_TOKEN: token, PUBLIC_PORT: port, BANK_LOGIN_ISSUER: provider.issuer },
    ...{ BANK_LOGIN_CLIENT_ID: "aldgate", BANK_LOGIN_KEY: key },
  });
});
after(async () => {
  await there?.close();
  await bank?.close();
  provider?.close();
  rmSync(folder, { recursive: true });
});

const personaOf = (at: TestBank, login: string) =>
  present(
    at.sandbox?.personas.find((one) => one.login === login),
    login,
  );

/** Confirms at the provider as this customer, and comes back. */
async function confirmThere(visitor: Visitor, login: string): Promise<void> {
  provider.mood.sub = personaOf(there, login).customerId;
  const customer = new Visitor({ publicUrl: provider.issuer });
  await customer.open(visitor.shown.url);
  await customer.open(customer.shown.url, { answer: "confirm" });
  await visitor.open(customer.shown.url);
  // the page that comes back continues by itself
  const [, onward] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(visitor.shown.body) ?? [];
  if (onward) await visitor.open(new URL(onward.replaceAll("&amp;", "&"), there.publicUrl).href);
}

/** Makes a payment that its first signatory, Dev, has approved. */
async function signFirst(at: TestBank, ordered: Order = { amount: "310.00" }) {
  const client = await at.createTpp();
  const dev = present(
    (await at.customers()).find(({ login }) => login === "dev"),
    "dev",
  );
  const joint = dev.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  const lodged = await lodge(client, ordered);
  const { consentId } = lodged;
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  const { accountId } = present(joint, "the joint account");
  const approved = at === there ? approveThere(authorizationUrl, accountId) : null;
  const approval = { customer: "dev", decision: "approve" } as const;
  const redirectUrl = approved
    ? await approved
    : (await at.decide({ authorizationUrl, ...approval, accounts: [accountId] })).redirectUrl;
  const { access_token: accessToken } = await client.exchangeCode(redirectUrl);
  const orderId = await order(client, lodged, accessToken);
  return { consentId, orderId };
}

async function approveThere(url: string, account: string): Promise<string> {
  const visitor = new Visitor(there);
  await visitor.open(url);
  await confirmThere(visitor, "dev");
  await visitor.submit({ account, decision: visitor.go });
  if (visitor.canApprove) await visitor.submit({ decision: "approve" });
  return visitor.goBack();
}

async function exported(at: TestBank, consentId: string): Promise<WholeConsent> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${at.managementUrl}/channels/v1/consents/${consentId}`, { headers });
  assert.equal(answer.status, 200);
  return (await answer.json()) as WholeConsent;
}

/** How the second signatory, Elin, is asked and answers. */
type Way = {
  at: () => TestBank;
  /** Prepares the bank and its customer. */
  prepare?(): Promise<unknown>;
  logIn(): Promise<Visitor>;
  /** Confirms what the page shows. */
  confirm(visitor: Visitor): Promise<unknown>;
  amr: string[];
};

let passkey: SoftPasskey;

/** Adds a passkey of Elin's. */
async function addPasskey(): Promise<void> {
  passkey = new SoftPasskey(bank.publicUrl);
  const visitor = await logIn(bank, "elin");
  await visitor.open(`${bank.publicUrl}/bank/passkeys/new`);
  await visitor.submit({ name: "My phone", decision: "continue" });
  await visitor.confirm();
  await visitor.submit({ passkey: passkey.make(optionsOn(visitor.shown)), decision: "add" });
  assert.match(visitor.shown.body, /You can now confirm with the passkey/);
}

const sign = (visitor: Visitor) =>
  visitor.submit({ code: passkey.sign(optionsOn(visitor.shown)), decision: visitor.go });

/** Lets the core ask in an app, whose customer approves at once. */
async function askInApp(): Promise<void> {
  const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
  const hashes = new Map<string, string>();
  core.challenge = async (_customerId: string, _subject: ChallengeSubject, { subjectHash }) => {
    const challengeId = `app-${hashes.size}`;
    hashes.set(challengeId, subjectHash);
    const expiresAt = bank.clock.now().add({ minutes: 5 });
    return { challengeId, method: "decoupled", expiresAt, app: {} };
  };
  core.challengeResult = async (challengeId) => {
    const subjectHash = present(hashes.get(challengeId), "the challenge");
    return { state: "approved", at: bank.clock.now(), amr: ["hwk", "face"], subjectHash };
  };
}

/** Logs in while the second factor is asked for in the app. */
async function logInByApp(): Promise<Visitor> {
  const visitor = new Visitor(bank);
  await visitor.open(`${bank.publicUrl}/bank/login`);
  const { password } = personaOf(bank, "elin");
  await visitor.submit({ login: "elin", password, decision: "continue" });
  await visitor.open(visitor.shown.url);
  return visitor;
}

async function logInThere(): Promise<Visitor> {
  const visitor = new Visitor(there);
  await visitor.open(`${there.publicUrl}/bank/login/start`);
  await confirmThere(visitor, "elin");
  return visitor;
}

// in this order, because a customer with a passkey is asked for it first
const ways: Record<string, Way> = {
  code: {
    at: () => bank,
    logIn: () => logIn(bank, "elin"),
    confirm: (visitor) => visitor.confirm(),
    amr: ["pwd", "otp", "mfa"],
  },
  passkey: {
    at: () => bank,
    prepare: addPasskey,
    async logIn() {
      const visitor = new Visitor(bank);
      await visitor.open(`${bank.publicUrl}/bank/login`);
      const { password } = personaOf(bank, "elin");
      await visitor.submit({ login: "elin", password, decision: "continue" });
      await sign(visitor);
      return visitor;
    },
    confirm: sign,
    amr: ["pwd", "hwk", "user", "mfa"],
  },
  redirect: {
    at: () => there,
    logIn: logInThere,
    async confirm(visitor) {
      await visitor.open(`${visitor.shown.url}/there`);
      await confirmThere(visitor, "elin");
    },
    amr: ["pwd", "hwk", "mfa"],
  },
  decoupled: {
    at: () => bank,
    prepare: askInApp,
    logIn: logInByApp,
    // the page that asks has taken the answer
    confirm: async () => undefined,
    amr: ["pwd", "hwk", "face", "mfa"],
  },
};

const dollars: Order = {
  kind: "international-payment",
  payee: { SchemeName: "UK.OBIE.BBAN", Identification: "000099000001", Name: "Bright Harbor" },
  initiation: {
    CurrencyOfTransfer: "USD",
    InstructedAmount: { Amount: "250.00", Currency: "USD" },
    CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" },
  },
};

test("a further signature is given at a rate that moves, with the rate that was shown", async () => {
  const { consentId, orderId } = await signFirst(bank, dollars);
  const visitor = await logIn(bank, "elin");
  const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
  const { price } = core;
  let asked = 0;
  core.price = async (request) => {
    const now = await price.call(core, request);
    asked += 1;
    // once, the core does not know it
    if (now === null || asked === 3) return null;
    const debit = { ...now.debit, amountMinor: now.debit.amountMinor + BigInt(asked) };
    return { ...now, debit, rate: now.rate && { ...now.rate, rate: `${now.rate.rate}00${asked}` } };
  };
  try {
    await visitor.open(`${bank.publicUrl}/bank/approvals/${orderId}`);
    const facts = factsOn(visitor.shown.body);
    assert.match(facts.join("\n"), /1 GBP = \d\.\d+001 USD; we will use the rate at the time/);
    await visitor.submit({ decision: "approve" });
    assert.match(visitor.shown.url, /\/bank\/confirm\//, visitor.shown.body);
    await visitor.confirm();
    const [, about] = /^(About £\S+)$/m.exec(facts.join("\n")) ?? [];
    assert.match(
      visitor.shown.body,
      /You have approved US\$250\.00 to .+ from .+ \([\d-]+ \d+\)\. About/,
    );
    const charged = "including £10.00 in charges. We convert the payment when we make it";
    const said = `${about} leaves this account, ${charged}, at our exchange rate then.`;
    assert.ok(visitor.shown.body.includes(said), `${said} in ${visitor.shown.body}`);
    assert.ok(asked > 1, "the core is asked again");
    const [given] = (await exported(bank, consentId)).signatures;
    const { showings } = present(given, "the signature");
    const kept = textsIn(showings.map(({ shown }) => shown)).join("\n");
    for (const fact of facts) assert.ok(kept.includes(fact), `${fact} in\n${kept}`);
  } finally {
    core.price = price;
  }
});

test("a signature whose challenge an earlier release has stored is given, and its page says so", async () => {
  const { consentId, orderId } = await signFirst(bank);
  const visitor = await logIn(bank, "elin");
  await visitor.open(`${bank.publicUrl}/bank/approvals/${orderId}`);
  await visitor.submit({ decision: "approve" });
  await forgetShowings(bank.database);
  await visitor.confirm();
  assert.equal(visitor.shown.status, 200, visitor.shown.body);
  assert.match(visitor.shown.body, /You have approved £310\.00 to .+ from .+No more approvals/);
  assert.equal((await exported(bank, consentId)).signatures.length, 1);
});

test("the core hears how each customer signed, without loading what they were shown", async () => {
  const { consentId, orderId } = await signFirst(bank);
  const visitor = await logIn(bank, "elin");
  const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
  const { reserve, readsContext } = core;
  const heard: PaymentInstruction[] = [];
  core.readsContext = true;
  core.reserve = (payments) => {
    heard.push(...payments);
    return reserve.call(core, payments);
  };
  const query = bank.database.query.bind(bank.database) as (statement: Sql) => Promise<object[]>;
  const loaded: object[] = [];
  const mocked = mock.method(bank.database, "query", async (statement: Sql) => {
    const rows = await query(statement);
    loaded.push(...rows.filter((row) => "signatures" in row && "paymentId" in row));
    return rows;
  });
  try {
    await visitor.open(`${bank.publicUrl}/bank/approvals/${orderId}`);
    await visitor.submit({ decision: "approve" });
    await visitor.confirm();
    const find = async () => heard.find(({ context }) => context?.orderId === orderId);
    const paid = await until(find, (found) => found !== undefined);
    const [given] = (await exported(bank, consentId)).signatures;
    const { customerId, signedAt, acr, amr } = present(given, "the signature");
    const at = Temporal.Instant.from(signedAt);
    const authentication = { at, acr, amr };
    assert.deepEqual(paid?.context?.approvedBy[1], { customerId, authentication });
    assert.equal(loaded.length, 1);
    assert.doesNotMatch(JSON.stringify(loaded), /showings|shownHash/);
  } finally {
    mocked.mock.restore();
    Object.assign(core, { reserve, readsContext });
  }
});

for (const [method, way] of Object.entries(ways)) {
  test(`CB-12: the evidence of a second signature by ${method} has all that its customer was shown`, async () => {
    const at = way.at();
    const { consentId, orderId } = await signFirst(at);
    await way.prepare?.();
    const visitor = await way.logIn();
    await visitor.open(`${at.publicUrl}/bank/approvals/${orderId}`);
    const facts = factsOn(visitor.shown.body);
    assert.ok(facts.includes("£310.00"), visitor.shown.body);
    await visitor.submit({ decision: "approve" });
    const asks = visitor.shown.url.includes("/bank/confirm/");
    if (asks) facts.push(...factsOn(visitor.shown.body));
    await way.confirm(visitor);
    assert.match(visitor.shown.body, /You have approved £310\.00/);
    const { authorisations, signatures } = await exported(at, consentId);
    assert.equal(authorisations.length, 1);
    const [given, ...others] = signatures;
    assert.deepEqual(others, []);
    const { showings, ...rest } = present(given, "the signature");
    const { customerId } = personaOf(at, "elin");
    const { signedAt, acr, ...who } = rest;
    assert.deepEqual(who, { orderId, customerId, method, amr: way.amr });
    assert.equal(acr, "urn:openbanking:psd2:sca");
    assert.ok(Temporal.Instant.from(signedAt));
    const kept = textsIn(showings.map(({ shown }) => shown)).join("\n");
    for (const fact of facts) assert.ok(kept.includes(fact), `${fact} in\n${kept}`);
    for (const { shown, shownHash } of showings) {
      assert.equal(sha256(canonicalJson(shown)), shownHash);
    }
    const [page, confirmed] = showings;
    assert.deepEqual(
      showings.map(({ step, answer }) => [step, answer?.decision]),
      [
        ["order", "continue"],
        ["signature", "approve"],
      ],
    );
    assert.equal(page?.way, "page");
    assert.equal(confirmed?.way, method === "redirect" ? "provider" : "page");
    assert.equal(confirmed?.shownHash, confirmed?.subjectHash);
    assert.equal(confirmed?.answer?.method, method);
  });
}

test("a form that approves something else than the page has shown is not taken", async () => {
  const { consentId, orderId } = await signFirst(there);
  const visitor = await logInThere();
  await visitor.open(`${there.publicUrl}/bank/approvals/${orderId}`);
  await visitor.submit({ shown: "another", decision: "approve" });
  assert.match(visitor.shown.body, /This has changed since you opened it/);
  assert.match(visitor.shown.body, /£310\.00/);
  assert.deepEqual((await exported(there, consentId)).signatures, []);
});
