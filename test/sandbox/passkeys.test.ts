import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { sql } from "#src/storage/sql.ts";
import {
  type Deviation,
  flags,
  keyPairOf,
  optionsOn,
  SoftPasskey,
} from "#test/auth/soft-passkey.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { consentStatus, readAuthorisations } from "#test/consents/stored-rows.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { logIn } from "#test/journeys/log-in.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";

// Passkeys, from the page that adds them to the consent that they approve. Source: WebAuthn Level 3
// section 7.2.

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

type Given = ConstructorParameters<typeof SoftPasskey>[1];

/** Adds a passkey to a customer who has none, and logs the customer out. */
async function withPasskey(login: string, given?: Given): Promise<SoftPasskey> {
  const visitor = await logIn(bank, login);
  const passkey = new SoftPasskey(bank.publicUrl, given);
  await toMaking(visitor, "My phone");
  await visitor.submit({ passkey: passkey.make(optionsOn(visitor.shown)), decision: "add" });
  assert.match(visitor.shown.body, /You can now confirm with the passkey My phone/);
  await visitor.open(`${bank.publicUrl}/bank/logout`, { csrf: visitor.csrf });
  return passkey;
}

/** Names a passkey and enters the code, up to the page that makes it. */
async function toMaking(visitor: Visitor, name: string): Promise<void> {
  await visitor.open(`${bank.publicUrl}/bank/passkeys/new`);
  await visitor.submit({ name, decision: "continue" });
  assert.match(visitor.shown.body, new RegExp(`Add passkey</dt><dd><b>${name}`));
  await confirmWithCode(visitor);
  assert.match(visitor.shown.body, /Make your passkey/);
}

const codeOn = ({ shown }: Visitor): string =>
  /<code class="big">(\d+)</.exec(shown.body)?.[1] ?? "";
const confirmWithCode = (visitor: Visitor) =>
  visitor.submit({ code: codeOn(visitor), decision: "continue" });

const passwordOf = (login: string): string =>
  present(
    present(bank.sandbox, "the sandbox").personas.find((one) => one.login === login),
    login,
  ).password;

/** Opens a journey, up to the page that asks for a passkey. */
async function toPasskey(login: string, kind: "payment" | "access" = "payment") {
  const client = await bank.createTpp();
  const isPayment = kind === "payment";
  const consentId = isPayment ? (await lodge(client)).consentId : await lodgeAccess(client);
  const scope = isPayment ? ("payments" as const) : ("accounts" as const);
  const url = await client.authorizationUrl({ scope, consentId });
  const visitor = new Visitor(bank);
  await visitor.open(url);
  await visitor.submit({ login, password: passwordOf(login), decision: "continue" });
  return { visitor, consentId, client };
}

const answer = (visitor: Visitor, code: string) => visitor.submit({ code, decision: visitor.go });

const sign = (visitor: Visitor, passkey: SoftPasskey, given?: Deviation) =>
  answer(visitor, passkey.sign(optionsOn(visitor.shown), given));

const refused = /We cannot accept this passkey/;

test("a passkey approves a payment, and the TPP and the evidence say how", async () => {
  const passkey = await withPasskey("ben");
  const { visitor, consentId, client } = await toPasskey("ben");
  assert.match(visitor.shown.body, /your device will ask for your passkey/);
  assert.match(visitor.shown.body, /£12\.34/);
  const policy = visitor.shown.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none';.*script-src 'self';/);
  await sign(visitor, passkey);
  assert.equal(visitor.step, "accounts", visitor.shown.body);
  assert.doesNotMatch(visitor.shown.headers.get("content-security-policy") ?? "", /script/);
  const [, account = ""] = /name="account" value="([^"]+)"/.exec(visitor.shown.body) ?? [];
  await visitor.approve(account);
  if (visitor.canApprove) await visitor.approve();
  assert.equal(await consentStatus(bank.database, consentId), "AUTH");
  const { id_token } = await client.exchangeCode(await visitor.goBack());
  const claims = await client.verifyToken(present(id_token, "the id_token"));
  assert.deepEqual(claims.amr, ["pwd", "hwk", "user", "mfa"]);
  const [given] = await readAuthorisations(bank.database, consentId);
  assert.equal(given?.method, "passkey");
  assert.deepEqual(given?.amr, ["pwd", "hwk", "user", "mfa"]);
  const signed = given?.showings.find(({ step }) => step === "factor");
  assert.equal((signed?.shown as { amount?: string } | undefined)?.amount, "£12.34");
});

const deviations: Record<string, Deviation | ((passkey: SoftPasskey) => Deviation)> = {
  "another origin": { origin: "https://bank.example" },
  "another domain": { rpId: "bank.example" },
  "a page inside another site": { crossOrigin: true },
  "no check of who uses the device": { flags: flags.present },
  "nobody at the device": { flags: flags.verified },
  "another challenge": { challenge: "AAAA" },
  "the answer of a new passkey": { type: "webauthn.create" },
  "another key": { key: keyPairOf.ES256().privateKey },
  "an unknown passkey": { id: "AAAA" },
  "another customer's handle": { userHandle: "AAAA" },
};

test("an answer with anything wrong is refused, and the next right one is accepted", async () => {
  const passkey = await withPasskey("chloe");
  for (const [what, given] of Object.entries(deviations)) {
    const { visitor, consentId } = await toPasskey("chloe", "access");
    await sign(visitor, passkey, given as Deviation);
    assert.match(visitor.shown.body, refused, what);
    assert.equal(await consentStatus(bank.database, consentId), "AWAU", what);
    await sign(visitor, passkey);
    assert.equal(visitor.step, "accounts", `${what}: ${visitor.shown.body}`);
  }
  const { visitor } = await toPasskey("chloe", "access");
  for (const text of ["123456", "{}", "[]", "null", '{"response":{"clientDataJSON":"e30"}}']) {
    await answer(visitor, text);
    assert.match(visitor.shown.body, text === "null" ? /one more try|stop/ : refused, text);
    if (text === "null") break;
  }
});

test("what a passkey signed for one payment confirms no other, and is used once", async () => {
  const passkey = await withPasskey("dev");
  const first = (await toPasskey("dev")).visitor;
  const second = (await toPasskey("dev")).visitor;
  const signed = passkey.sign(optionsOn(first.shown));
  await answer(second, signed);
  assert.match(second.shown.body, refused);
  const { url } = first.shown;
  const form = { ...first.hidden, code: signed, decision: "continue" };
  const twice = first.copy();
  await Promise.all([first.open(url, form), twice.open(url, form)]);
  assert.deepEqual([first.step, twice.step], ["accounts", "accounts"]);
  const third = (await toPasskey("dev")).visitor;
  await answer(third, signed);
  assert.match(third.shown.body, refused);
  await sign(third, passkey);
  assert.equal(third.step, "accounts");
});

test("the passkey of one customer does not confirm for another", async () => {
  const own = await withPasskey("elin");
  const other = await withPasskey("amara");
  const { visitor } = await toPasskey("elin");
  await answer(visitor, other.sign(optionsOn(visitor.shown)));
  assert.match(visitor.shown.body, refused);
  await answer(visitor, other.sign(optionsOn(visitor.shown), { userHandle: null }));
  assert.match(visitor.shown.body, refused);
  await answer(visitor, other.sign(optionsOn(visitor.shown), { id: own.id }));
  assert.match(visitor.shown.body, refused);
  await sign(visitor, own, { userHandle: null });
  assert.equal(visitor.step, "accounts");
});

test("five wrong answers lock passkeys and codes alike, and an answer without a passkey is none", async () => {
  const passkey = await withPasskey("grace");
  const { visitor, consentId } = await toPasskey("grace", "access");
  for (let turn = 0; turn < 6; turn += 1) {
    await answer(visitor, "");
    assert.match(visitor.shown.body, /We did not get your passkey/);
  }
  const other = (await toPasskey("grace", "access")).visitor;
  for (let turn = 0; turn < 5; turn += 1) await sign(visitor, passkey, { flags: flags.present });
  assert.equal(await consentStatus(bank.database, consentId), "RJCT");
  await sign(other, passkey);
  assert.match(other.shown.body, /too many attempts/);
  await other.submit({ decision: "code" });
  assert.match(other.shown.body, /too many attempts/);
  assert.equal(codeOn(other), "", "no code is sent that could not be used");
  const next = (await toPasskey("grace", "access")).visitor;
  assert.match(next.shown.body, /Approving is locked until/);
});

test("a customer who cannot use the passkey gets a code, and then codes for this request", async () => {
  await withPasskey("finn");
  const { visitor } = await toPasskey("finn", "access");
  await visitor.submit({ decision: "code" });
  assert.match(visitor.shown.body, /We have sent you a code/);
  assert.notEqual(codeOn(visitor), "");
  await visitor.submit({ decision: "renew" });
  assert.match(visitor.shown.body, /We have sent you a new code/);
  const before = codeOn(visitor);
  await bank.advance("PT6M");
  await visitor.open(visitor.shown.url);
  assert.notEqual(codeOn(visitor), before);
  await confirmWithCode(visitor);
  assert.equal(visitor.step, "accounts");
});

test("an answer that comes too late is asked for again", async () => {
  const passkey = await withPasskey("harriet");
  const { visitor } = await toPasskey("harriet", "access");
  const late = passkey.sign(optionsOn(visitor.shown));
  await bank.advance("PT6M");
  await answer(visitor, late);
  assert.match(visitor.shown.body, /That took too long/);
  await sign(visitor, passkey);
  assert.equal(visitor.step, "accounts");
});

test("a count that does not grow is that of a copy", async () => {
  const passkey = await withPasskey("iris", { counts: true });
  const { visitor } = await toPasskey("iris", "access");
  await sign(visitor, passkey);
  assert.equal(visitor.step, "accounts");
  const next = (await toPasskey("iris", "access")).visitor;
  for (const signCount of [0, 1, 2]) {
    await sign(next, passkey, { signCount });
    assert.match(next.shown.body, refused, `${signCount}`);
  }
  await sign(next, passkey, { signCount: 6 });
  assert.equal(next.step, "accounts");
});

for (const algorithm of ["EdDSA", "RS256"] as const) {
  test(`a passkey that may be copied signs with ${algorithm}, and the evidence says swk`, async () => {
    const login = { EdDSA: "test_executed", RS256: "test_pending" }[algorithm];
    const passkey = await withPasskey(login, { isCopied: true, algorithm });
    const { visitor, consentId } = await toPasskey(login, "access");
    await sign(visitor, passkey);
    const [, account = ""] = /name="account" value="([^"]+)"/.exec(visitor.shown.body) ?? [];
    await visitor.approve(account);
    if (visitor.canApprove) await visitor.approve();
    const [given] = await readAuthorisations(bank.database, consentId);
    assert.deepEqual(given?.amr, ["pwd", "swk", "user", "mfa"]);
  });
}

test("before the second factor, nobody can make the passkey that was named", async () => {
  const visitor = await logIn(bank, "test_held");
  await visitor.open(`${bank.publicUrl}/bank/passkeys/new`);
  for (const name of [" ", "x".repeat(41)]) {
    await visitor.submit({ name, decision: "continue" });
    assert.match(visitor.shown.body, /Give the passkey a name/);
  }
  await visitor.submit({ name: "A", decision: "continue" });
  assert.match(visitor.shown.body, /Add this passkey\?/);
  const list = await bank.database.query<{ id: string; challenge: string }>(sql`
    select passkey_id as id, challenge from sandbox_passkey where name = 'A'`);
  const [{ id, challenge }] = [present(list[0], "the passkey")];
  const making = `${bank.publicUrl}/bank/passkeys/${id}/add`;
  const { csrf } = visitor;
  await visitor.open(making);
  assert.match(visitor.shown.body, /That took too long/);
  const rp = { id: "localhost" };
  const passkey = new SoftPasskey(bank.publicUrl).make({ challenge, rp });
  await visitor.open(making, { csrf, passkey, decision: "add" });
  assert.match(visitor.shown.body, /You haven’t added any passkeys/);
  // another customer knows the address
  const other = await logIn(bank, "test_rejected");
  await other.open(making);
  assert.equal(other.shown.status, 404);
});

test("a new passkey with anything wrong is refused, and so is one that is known", async () => {
  const known = await withPasskey("test_returned");
  const visitor = await logIn(bank, "test_account_closed");
  await toMaking(visitor, "B");
  const options = optionsOn(visitor.shown);
  const passkey = new SoftPasskey(bank.publicUrl);
  const wrong: Deviation[] = [
    { origin: "https://bank.example" },
    { rpId: "bank.example" },
    { challenge: "AAAA" },
    { type: "webauthn.get" },
    { crossOrigin: true },
    { flags: flags.present },
    { flags: flags.verified },
    { id: known.id },
  ];
  for (const given of wrong) {
    await visitor.submit({ passkey: passkey.make(options, given), decision: "add" });
    assert.match(visitor.shown.body, /We did not get a passkey/, JSON.stringify(given));
  }
  for (const text of ["", "{}", "x"]) {
    await visitor.submit({ passkey: text, decision: "add" });
    assert.match(visitor.shown.body, /We did not get a passkey/, text);
  }
  await visitor.submit({ passkey: passkey.make(options), decision: "add" });
  assert.match(visitor.shown.body, /You can now confirm with the passkey B/);
});

test("a passkey logs a customer in to the bank's own pages, until the customer removes it", async () => {
  const passkey = await withPasskey("test_held");
  const visitor = new Visitor(bank);
  const toLogin = async () => {
    await visitor.open(`${bank.publicUrl}/bank/login`);
    const password = passwordOf("test_held");
    await visitor.submit({ login: "test_held", password, decision: "continue" });
  };
  await toLogin();
  await sign(visitor, passkey);
  assert.match(visitor.shown.body, /Your accounts/);
  await visitor.open(`${bank.publicUrl}/bank/passkeys`);
  assert.match(visitor.shown.body, /My phone.*Last used on.*It stays on one device/s);
  const [, path = ""] = /href="(\/bank\/passkeys\/[^"]+)"/.exec(visitor.shown.body) ?? [];
  await visitor.open(`${bank.publicUrl}${path}`);
  await visitor.submit({ decision: "remove" });
  assert.match(visitor.shown.body, /Remove passkey<\/dt><dd><b>My phone/);
  const confirming = visitor.shown.url;
  await visitor.open(`${bank.publicUrl}/bank/passkeys`);
  assert.match(visitor.shown.body, /My phone/, "nothing is removed without a second factor");
  await visitor.open(confirming);
  await sign(visitor, passkey);
  assert.match(visitor.shown.body, /We have removed the passkey My phone/);
  await visitor.open(`${bank.publicUrl}/bank/logout`, { csrf: visitor.csrf });
  await toLogin();
  assert.notEqual(codeOn(visitor), "");
});

test("a program that acts for a customer with a passkey uses a code", async () => {
  await withPasskey("test_rejected");
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client);
  await bank.approve(client, { scope: "accounts", consentId, customer: "test_rejected" });
  const [given] = await readAuthorisations(bank.database, consentId);
  assert.deepEqual(given?.amr, ["pwd", "otp", "mfa"]);
});

test("a customer has at most five passkeys that were named and not added", async () => {
  const visitor = await logIn(bank, "test_held");
  for (let turn = 0; turn < 7; turn += 1) {
    await visitor.open(`${bank.publicUrl}/bank/passkeys/new`);
    await visitor.submit({ name: `Window ${turn}`, decision: "continue" });
  }
  const rows = await bank.database.query<{ name: string }>(sql`
    select p.name from sandbox_passkey p join customer c on c.customer_id = p.customer_id
    where c.login = 'test_held' and p.added_at is null order by p.name`);
  const names = [2, 3, 4, 5, 6].map((turn) => `Window ${turn}`);
  assert.deepEqual(
    rows.map(({ name }) => name),
    names,
  );
  await confirmWithCode(visitor);
  assert.match(visitor.shown.body, /Make your passkey/);
});
