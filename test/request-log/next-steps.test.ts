// A code can have many causes. The next step of an explanation fits the cause, not only the code.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import type { Answer } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Body, changed, openPlace, type Place, sampleConsent } from "#test/mistakes/place.ts";

let place: Place;
before(async () => {
  place = await openPlace();
});
after(() => place?.bank.close());

const post = (path: string, body: Body, idempotencyKey: string = randomUUID()) =>
  place.tpp.call({
    path: `/${path}`,
    token: place.tokens[path.includes("event") ? "accounts" : "payments"],
    body,
    idempotencyKey,
  });

/** Sends two bodies with one key, and returns the second answer. */
async function twice(path: string): Promise<Answer> {
  // v3.1 has another form of this member
  const body = changed(sampleConsent("domestic-payment"), {
    "Data.Initiation.RemittanceInformation": undefined,
  });
  const key = randomUUID();
  await post(path, body, key);
  return post(path, changed(body, { "Data.Initiation.EndToEndIdentification": "other" }), key);
}

const consent = "v4.0/pisp/domestic-payment-consents";
const scheduled = "v4.0/pisp/domestic-scheduled-payment-consents";
const abroad = "v4.0/pisp/international-payment-consents";
const subscription = {
  Data: { EventTypes: ["urn:uk:org:openbanking:events:resource-update"], Version: "4.0" },
};
const dated = (date: string) =>
  changed(sampleConsent("domestic-scheduled-payment"), {
    "Data.Initiation.RequestedExecutionDateTime": date,
  });

const rows: [cause: string, code: string, next: RegExp, send: () => Promise<Answer>][] = [
  ["a reused key on v4.0", "U029", /^Use a new key/, () => twice(consent)],
  [
    "a reused key on v3.1",
    "UK.OBIE.Header.Invalid",
    /^Use a new key/,
    () => twice("v3.1/pisp/domestic-payment-consents"),
  ],
  [
    "a second subscription",
    "U029",
    /^Change the registration/,
    async () => {
      await post("v4.0/event-subscriptions", subscription);
      return post("v4.0/event-subscriptions", subscription);
    },
  ],
  [
    "a date too far ahead",
    "U003",
    /that the message allows/,
    () => post(scheduled, dated("2099-01-01T00:00:00Z")),
  ],
  [
    "a body that is too large",
    "U010",
    /limits that the message names/,
    () => post(consent, { Data: "x".repeat(2_000_000) }),
  ],
  ["a body that is no object", "U010", /^Correct the body/, () => post(consent, [] as never)],
  [
    "a wrong BIC",
    "U021",
    /BIC/,
    () => {
      const body = sampleConsent("international-payment");
      const agent = { SchemeName: "UK.OBIE.BICFI", Identification: "x" };
      return post(abroad, changed(body, { "Data.Initiation.CreditorAgent": agent }));
    },
  ],
];
for (const [cause, code, next, send] of rows) {
  test(`the next step after ${cause} fits this cause`, async () => {
    const { headers, raw } = await send();
    const id = String(headers["x-fapi-interaction-id"]);
    const { faults } = await place.bank.control<Explanation>("GET", `/explanations/${id}`);
    const fault = present(
      faults.find((one) => one.code === code),
      `${code} in ${JSON.stringify(faults)} of ${raw}`,
    );
    assert.match(fault.next ?? "", next);
  });
}

test("the portal's row of a code with several causes has the step of each", async () => {
  const page = await (await fetch(`${place.bank.publicUrl}/docs/errors`)).text();
  assert.match(page, /Use a new idempotency key\. For a second registration, change or delete/);
});
