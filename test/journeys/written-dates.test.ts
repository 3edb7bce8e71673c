import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
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

for (const strict of [false, true]) {
  describe(`with STRICT_OAS=${strict}`, () => {
    let bank: TestBank;
    let tpp: TppClient;
    before(async () => {
      bank = await openBank({ STRICT_OAS: strict });
      tpp = await bank.createTpp();
    });
    after(() => bank?.close());

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
