import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type JourneyTpp, nameTpp, readOutcome, readTpp } from "#test/auth/stored-rows.ts";
import { Visitor } from "#test/auth/visitor.ts";
import {
  type Json,
  type Requested,
  readRequested,
  writeRequested,
} from "#test/consents/requested-rows.ts";
import { CardIssuer, named } from "#test/funds/card-issuer.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { callChannel } from "./call-channel.ts";
import { kindSample } from "./kind-sample.ts";
import { lodgeAccess, type Resource } from "./payments.ts";

// What a customer approves is compared by its facts (decision 0062). So each text that is shown of
// a consent must come from a fact: a text that no change of the stored consent, its TPP or the
// bank's calendar can change has no place among them. And each such change, made behind the
// customer who reads the code page, ends the journey.

const token = "a-token-of-the-banks-own-channels";
let holidays = "";
const kinds = paymentKinds.map((kind) => ({
  ...kind,
  shape: {
    ...kind.shape,
    summarise: (...[plan, consent]: Parameters<PaymentKind["shape"]["summarise"]>) =>
      kind.shape.summarise(
        { ...plan, config: { ...plan.config, ...(holidays ? { BANK_HOLIDAYS: holidays } : {}) } },
        consent,
      ),
  },
})) as PaymentKind[];

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank({ APP_TOKEN: token }, undefined, kinds);
  client = await bank.createTpp();
});
after(() => bank?.close());

type Scope = "payments" | "accounts" | "fundsconfirmations";
type Asked = { login: string; scope: Scope; lodge(): Promise<string> };

async function lodgeSample(kind: PaymentKind): Promise<string> {
  const { consent, file } = kindSample(bank, kind);
  const lodgedToken = await client.clientToken("payments");
  const path = `/v4.0/pisp/${kind.id}-consents`;
  const lodged = await client.call<Resource>({ path, token: lodgedToken, body: consent });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  if (file) {
    const uploaded = { path: `${path}/${consentId}/file`, token: lodgedToken, body: file };
    expectStatus(await client.call(uploaded), 200);
  }
  return consentId;
}

const inAMonth = () =>
  bank.clock
    .now()
    .add({ hours: 24 * 30 })
    .toString();
const cases: Record<string, Asked> = {
  "account access": {
    ...{ login: "amara", scope: "accounts" },
    lodge: () =>
      lodgeAccess(client, {
        ExpirationDateTime: inAMonth(),
        TransactionFromDateTime: "2026-01-01T00:00:00+00:00",
        TransactionToDateTime: inAMonth(),
      }),
  },
  "confirmation of funds": {
    ...{ login: "amara", scope: "fundsconfirmations" },
    async lodge() {
      const [everyday] = await bank.currentAccounts("amara");
      const issuer = new CardIssuer(bank, client, "/v4.0/cbpii");
      return issuer.consentId({
        ...named(everyday?.identification ?? null),
        ExpirationDateTime: inAMonth(),
      });
    },
  },
};
for (const kind of kinds) {
  const login = kind.currencies === "exchanged" ? "iris" : "amara";
  cases[kind.id] = { login, scope: "payments", lodge: () => lodgeSample(kind) };
}

// values of which only some have a meaning
const others: Record<string, Json[]> = {
  PointInTime: ["05"],
  PeriodType: ["Day", "Fortnight"],
  PeriodAlignment: ["Calendar", "Consent"],
  chargeBearer: ["BorneByCreditor", "Shared"],
  type: ["Agreed", "Indicative"],
  currency: ["EUR"],
  Currency: ["EUR"],
  CurrencyOfTransfer: ["CAD"],
  UnitCurrency: ["CAD"],
  unitCurrency: ["CAD"],
  SchemeName: ["UK.OBIE.IBAN"],
  Country: ["FR"],
  permissions: ["ReadStatementsDetail", "ReadAccountsBasic"],
  VRPType: ["UK.OBIE.VRPType.Other"],
  PSUAuthenticationMethods: ["UK.OBIE.SCA"],
  PSUInteractionTypes: ["InSession"],
  Amount: ["77.00"],
};

/** Other values of a member. */
function otherValues(name: string, value: string | number | boolean | null): Json[] {
  const known = others[name];
  if (known) return known;
  if (value === null) return [];
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [value + 1];
  const [, day, rest = ""] = /^(\d{4}-\d\d-\d\d)(.*)$/s.exec(value) ?? [];
  if (/^[A-Z]{2}\d\d\w+$/.test(value)) return [`${value}X`, `FR${value.slice(2)}`];
  if (day !== undefined) return [`${Temporal.PlainDate.from(day).add({ days: 7 })}${rest}`];
  if (/^\d+$/.test(value)) return [value.replace(/\d$/, (last) => String((Number(last) + 1) % 10))];
  return [`${value}X`];
}

/** The document once for each other value of each of its members, with the path of the member. */
function* changedIn(name: string, path: string, value: Json): Generator<[string, Json]> {
  if (typeof value !== "object" || value === null) {
    for (const other of otherValues(name, value)) yield [`${path} = ${other}`, other];
    return;
  }
  for (const [member, inner] of Object.entries(value)) {
    const next = Array.isArray(value) ? name : member;
    for (const [where, other] of changedIn(next, `${path}.${member}`, inner)) {
      const copy = structuredClone(value);
      Object.assign(copy, { [member]: other });
      yield [where, copy];
    }
  }
}

/** A change of one fact behind a journey; `undo` is for facts that are not the consent's own. */
type Change = { what: string; make(consentId: string): Promise<unknown>; undo?(): void };

const ofTpp = (member: keyof JourneyTpp): Change => ({
  what: `the TPP's ${member}`,
  make: (consentId) => nameTpp(bank.database, consentId, { [member]: "Another" }),
});

/** A holiday on a day that a page shows. */
const holidayOn = (day: string): Change => ({
  what: `a holiday on ${day}`,
  async make() {
    holidays = `+${day}`;
  },
  undo() {
    holidays = "";
  },
});

type Members = { [member: string]: Json };

/** What a stored consent can have besides what an example has. */
const additions: Record<string, (stored: { body: Members; terms: Members }) => object> = {
  "a charge": ({ terms }) => ({
    terms: {
      ...terms,
      charges: [
        {
          ...{ chargeBearer: "BorneByDebtor", type: "UK.OBIE.CHAPSOut" },
          amount: { amountMinor: "777", currency: "GBP" },
        },
      ],
    },
  }),
  "other permissions": () => ({ permissions: ["ReadProducts"] }),
  "a contract": ({ body, terms }) => ({
    body: JSON.parse(JSON.stringify(body).replaceAll("VRPType.Sweeping", "VRPType.Other")),
    terms: { ...terms, vrpContract: { contractId: "contract", purpose: "bills" } },
  }),
  "an end": ({ body }) => {
    const { ControlParameters, ...rest } = body.Data as Members;
    const control = { ...(ControlParameters as Members), ValidToDateTime: inAMonth() };
    return { body: { ...body, Data: { ...rest, ControlParameters: control } } };
  },
};

function changesOf(stored: Requested): Change[] {
  const today = bank.clock.now().toZonedDateTimeISO("Europe/London").toPlainDate();
  const days = new Set([
    ...(JSON.stringify(stored).match(/\b\d{4}-\d\d-\d\d/g) ?? []),
    ...Array.from({ length: 40 }, (_, ahead) => today.add({ days: ahead }).toString()),
  ]);
  const own = [...changedIn("", "", stored)].map(([what, changed]) => ({
    what,
    make: (consentId: string) => writeRequested(bank.database, consentId, changed as Requested),
  }));
  const added = Object.entries(additions).map(([what, add]) => ({
    what,
    make: (consentId: string) =>
      writeRequested(bank.database, consentId, {
        ...stored,
        ...add(stored as { body: Members; terms: Members } & Requested),
      }),
  }));
  return [
    ...own,
    ...added,
    ofTpp("softwareName"),
    ofTpp("onBehalfOf"),
    ...[...days].map(holidayOn),
  ];
}

async function call<T>(method: string, path: string, body?: object): Promise<T | null> {
  const response = await callChannel(bank.managementUrl, token, { method, path, body });
  const answer = await response.text();
  return response.ok ? (JSON.parse(answer) as T) : null;
}

type AppJourney = { journeyId: string; clientName: string; facts: Json; summary: Json };

const shownIn = ({ clientName, facts, summary }: AppJourney): Map<string, string> =>
  new Map(textsAt("", { clientName, facts, summary }));

// names of the words on a page, and marks that say how it shows them
const notShown = ["label", "about", "type", "noun", "facts"];

/** The texts of what is shown, by their places; a row's place is its label. */
function* textsAt(path: string, value: Json): Generator<[string, string]> {
  if (typeof value === "string" && value !== "") yield [path, value];
  if (typeof value !== "object" || value === null) return;
  for (const [member, inner] of Object.entries(value)) {
    const label = (inner as { label?: string } | null)?.label ?? member;
    const isMark = !Array.isArray(value) && notShown.includes(member) && path !== "";
    if (!isMark) yield* textsAt(`${path}/${label}`, inner);
  }
}

// words that say the same of every consent of the kind
const sameForAll = [
  "/Weekends and bank holidays/",
  "/Arrives/",
  "/Payment date/", // of a payment that is made at once
  "/summary/notes/",
  "/detail",
];

/** What the app is given to show of a consent, and which of its texts each change changes. */
async function survey({ scope, lodge }: Asked) {
  const consentId = await lodge();
  const stored = await readRequested(bank.database, consentId);
  const authorizationUrl = await client.authorizationUrl({ scope, consentId });
  const begun = await call<{ journey: AppJourney }>("POST", "/journeys", { authorizationUrl });
  const { journey } = present(begun, "the journey");
  const shown = shownIn(journey);
  const tpp = await readTpp(bank.database, consentId);
  const effective: Change[] = [];
  const changed = new Set<string>();
  for (const change of changesOf(stored)) {
    await change.make(consentId);
    const now = await call<AppJourney>("GET", `/journeys/${journey.journeyId}`);
    change.undo?.();
    await writeRequested(bank.database, consentId, stored);
    await nameTpp(bank.database, consentId, tpp);
    // a value with which the consent cannot be read
    if (!now) continue;
    const texts = shownIn(now);
    const differing = [...shown.keys()].filter((path) => shown.get(path) !== texts.get(path));
    if (differing.length > 0) effective.push(change);
    for (const path of differing) changed.add(path);
  }
  return { shown, effective, changed };
}

/** How the journey of a customer ends behind whom a fact changes while the code page is open. */
async function endingAfter({ login, scope, lodge }: Asked, change: Change): Promise<string> {
  const consentId = await lodge();
  const visitor = new Visitor(bank);
  await visitor.open(await client.authorizationUrl({ scope, consentId }));
  const personas = present(bank.sandbox, "the sandbox").personas;
  const { password } = present(
    personas.find((one) => one.login === login),
    login,
  );
  await visitor.submit({ login, password, decision: "continue" });
  assert.equal(visitor.step, "factor", visitor.shown.body);
  await change.make(consentId);
  await visitor.confirm();
  change.undo?.();
  return (await readOutcome(bank.database, consentId)) ?? "none";
}

for (const [name, asked] of Object.entries(cases)) {
  test(`each text that is shown of ${name} comes from a fact, and a fact that changes behind the customer ends the journey`, async () => {
    const { shown, effective, changed } = await survey(asked);
    const without = [...shown.keys()].filter(
      (path) => !changed.has(path) && !sameForAll.some((same) => `${path}/`.includes(same)),
    );
    assert.deepEqual(without, [], "texts without a fact");
    assert.ok(effective.length > 2);
    for (const change of effective) {
      assert.equal(await endingAfter(asked, change), "altered", change.what);
    }
  });
}
