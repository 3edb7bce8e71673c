import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { referenceSamples } from "#src/server/examples/reference-samples.ts";
import { type Scope, scopes } from "#src/standard/api-version.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { scheduledConsent } from "#test/payments/fixture.ts";
import { vrpConsent } from "#test/payments/limits/vrp-bed.ts";

// Which forms of a date-time a bank accepts, in a consent of each API and version. Only the setting
// STRICT_OAS makes a difference.

type Json = ReturnType<typeof vrpConsent>;
type Errors = { Errors: { Path?: string }[] };

const day = Temporal.Now.plainDateISO().add({ days: 40 }).toString();
const lenient = [day, `${day}T10:00`, `${day}T10:00:00`, `${day}T10:00+01:00`];
const published = [`${day}T10:00:00Z`, `${day}T10:00:00.123+01:00`];

const DebtorAccount = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "40478411111111",
};
const expiring = (more: object) => (ExpirationDateTime: string) => ({
  Data: { ...more, ExpirationDateTime },
  Risk: {},
});
const access = expiring({ Permissions: ["ReadAccountsBasic"] });
const funds = (date: string) => ({ Data: expiring({ DebtorAccount })(date).Data });
const vrp = (ValidToDateTime: string): Json =>
  vrpConsent(({ Data }: Json) => Object.assign(Data.ControlParameters, { ValidToDateTime }));
const scheduled = (date: string): Json =>
  scheduledConsent(({ Data }: Json) => {
    Data.Initiation.RequestedExecutionDateTime = date;
  });

const members: [path: string, scope: Scope, body: (date: string) => unknown, member: string][] = [
  ["/v3.1/aisp/account-access-consents", "accounts", access, "Data.ExpirationDateTime"],
  ["/v4.0/aisp/account-access-consents", "accounts", access, "Data.ExpirationDateTime"],
  [
    "/v3.1/cbpii/funds-confirmation-consents",
    "fundsconfirmations",
    funds,
    "Data.ExpirationDateTime",
  ],
  [
    "/v4.0/cbpii/funds-confirmation-consents",
    "fundsconfirmations",
    funds,
    "Data.ExpirationDateTime",
  ],
  ["/v4.0/pisp/domestic-vrp-consents", "payments", vrp, "Data.ControlParameters.ValidToDateTime"],
  [
    "/v4.0/pisp/domestic-scheduled-payment-consents",
    "payments",
    scheduled,
    "Data.Initiation.RequestedExecutionDateTime",
  ],
];

type Schema = {
  $ref?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
};
type Posted = { post?: { operationId: string; requestBody?: { content: Contents } } };
type Contents = { "application/json": { schema: Schema } };
type OpenApi = { paths: Record<string, Posted> };

/** The paths of the date-time members below a schema; `0` stands for a member of an array. */
function dateTimes(document: object, schema: Schema, path: readonly string[] = []): string[][] {
  if (schema.$ref) return dateTimes(document, follow(document, schema.$ref), path);
  return [
    ...(schema.format === "date-time" ? [[...path]] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      dateTimes(document, member, [...path, name]),
    ),
    ...(schema.items ? dateTimes(document, schema.items, [...path, "0"]) : []),
  ];
}

const follow = (document: object, ref: string): Schema =>
  ref
    .split("/")
    .slice(1)
    .reduce((at: unknown, name) => (at as Json)[name], document) as Schema;

/** Sets a member at any depth; objects and arrays above it are made. */
function set(body: Json, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) body[name] = value;
  else {
    body[name] ??= rest[0] === "0" ? [] : {};
    set(body[name], rest, value);
  }
}

/** The names on a path, without the places in arrays. */
const namesOf = (path: string | readonly string[] = ""): string =>
  (typeof path === "string" ? path.split(/[.[\]]/) : path)
    .filter((name) => /[a-z]/i.test(name))
    .join(".");

/** Lists every date-time member of every consent that a bank takes, with a body that has it. */
async function everyMember(
  bank: TestBank,
): Promise<{ path: string; member: string[]; make(date: string): object }[]> {
  const samples = referenceSamples(paymentKinds, Temporal.Now.plainDateISO());
  const found = [];
  for (const [api, bodies] of Object.entries(samples)) {
    const answer = await fetch(`${bank.publicUrl}/openapi/${api}.json`);
    const document = (await answer.json()) as OpenApi; // the bank's own document
    const [name, version] = api.split("-");
    for (const [path, { post }] of Object.entries(document.paths)) {
      if (!post?.requestBody || !path.endsWith("-consents")) continue;
      const { schema } = post.requestBody.content["application/json"];
      for (const member of dateTimes(document, schema)) {
        const make = (date: string): object => {
          const body = structuredClone(bodies[post.operationId]) as Json;
          set(body, member, date);
          return body;
        };
        found.push({ path: `/${version}/${name}${path}`, member, make });
      }
    }
  }
  return found;
}

for (const strict of [false, true]) {
  describe(`with STRICT_OAS=${strict}`, () => {
    let bank: TestBank;
    let tpp: TppClient;
    before(async () => {
      bank = await openBank({ STRICT_OAS: strict });
      tpp = await bank.createTpp();
    });
    after(() => bank?.close());

    const what = strict ? "refused where the published form refuses it" : "accepted";
    test(`A-083: a date without an offset is ${what}: every date-time of every consent, in every version`, async () => {
      const tokens = new Map<Scope, string>();
      for (const scope of scopes) tokens.set(scope, await tpp.clientToken(scope));
      const every = await everyMember(bank);
      const apis = new Set(every.map(({ path }) => path.split("/").slice(1, 3).join(" ")));
      assert.equal(apis.size, 6, "account information, funds and payments, in two versions");
      for (const { path, member, make } of every) {
        const scope = path.includes("/aisp/")
          ? "accounts"
          : path.includes("/cbpii/")
            ? "fundsconfirmations"
            : "payments";
        const token = tokens.get(scope) ?? "";
        const send = (date: string) => tpp.call<Errors>({ path, token, body: make(date) });
        const refusesForm = ({ status, body }: { status: number; body: Errors }): boolean =>
          status === 400 && body.Errors.some(({ Path }) => namesOf(Path) === namesOf(member));
        const [bare, whole] = [await send(`${day}T10:00:00`), await send(`${day}T10:00:00Z`)];
        assert.equal(refusesForm(bare), strict, `${path} ${member.join(".")}: ${bare.raw}`);
        assert.equal(refusesForm(whole), false, `${path} ${member.join(".")}: ${whole.raw}`);
      }
    });

    for (const [path, scope, body, member] of members) {
      test(`A-083: ${member} of ${path} may have ${strict ? "only the published form" : "any form of ISO 8601"}`, async () => {
        const token = await tpp.clientToken(scope);
        const send = (date: string) => tpp.call<Errors>({ path, token, body: body(date) });
        for (const date of published) assert.equal((await send(date)).status, 201, date);
        for (const date of lenient) {
          const answer = await send(date);
          assert.equal(answer.status, strict ? 400 : 201, `${date}: ${answer.raw}`);
          if (strict) assert.equal(answer.body.Errors[0]?.Path, member);
        }
      });
    }
  });
}
