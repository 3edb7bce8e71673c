// The events that card issuers receive.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fundsConfirmation } from "#src/consents/states.ts";
import {
  openSet,
  poll,
  revoke,
  type SetClaims,
  subscribe,
  urnOf,
} from "#test/events/events-bed.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { CardIssuer, consents, named } from "./card-issuer.ts";

let bank: TestBank;
let issuer: CardIssuer;
let account: object;
before(async () => {
  bank = await openBank();
  issuer = new CardIssuer(bank, await bank.createTpp(), "/v4.0/cbpii");
  account = named((await bank.currentAccounts("amara"))[0]?.identification ?? null);
  await subscribe(issuer.client);
});
after(() => bank?.close());

/** Waits for the next event, acknowledges the ones before it, and returns its claims. */
async function nextEvent(ack: string[]): Promise<[jti: string, claims: SetClaims]> {
  const { sets } = await poll(issuer.client, { ack });
  const [[jti = "", token = ""] = [], ...more] = Object.entries(sets);
  assert.deepEqual(more, [], "there is one event");
  return [jti, await openSet(issuer.client, token)];
}

test("C-110, C-111: a customer who stops the checks causes an event, but a TPP that deletes its consent does not", async () => {
  const v3 = issuer.through("/v3.1/cbpii");
  const deleted = await issuer.authorised("amara", account);
  const stopped = await issuer.authorised("amara", account);
  const older = await v3.authorised("amara", account);
  expectStatus(await issuer.own(`${consents}/${deleted.consentId}`, { method: "DELETE" }), 204);
  const acknowledged: string[] = [];
  for (const [version, consent, links] of [
    [issuer, stopped, ["v4.0"]],
    [v3, older, ["v3.1", "v4.0"]],
  ] as const) {
    const { consentId } = consent;
    await revoke(bank, consentId, fundsConfirmation);
    expectStatus(await version.ask(consent, "1.00"), 401);
    const [jti, { sub, events }] = await nextEvent(acknowledged);
    acknowledged.push(jti);
    const base = `${bank.mtlsUrl}/api/open-banking`;
    const path = `cbpii/funds-confirmation-consents/${consentId}`;
    assert.equal(sub, `${base}/v4.0/${path}`);
    assert.deepEqual(events, {
      [urnOf("resource-update")]: {
        subject: {
          subject_type: "http://openbanking.org.uk/rid_http://openbanking.org.uk/rty",
          "http://openbanking.org.uk/rid": consentId,
          "http://openbanking.org.uk/rty": "funds-confirmation-consents",
          "http://openbanking.org.uk/rlk": links.map((name) => ({
            version: name,
            link: `${base}/${name}/${path}`,
          })),
        },
      },
      [urnOf("consent-authorization-revoked")]: {},
    });
    assert.equal((await issuer.read(consentId)).body.Data.Status, "CANC");
  }
});
