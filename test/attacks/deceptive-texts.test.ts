import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { escapeHtml, html } from "#src/pages/html.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { quickPayee } from "#test/journeys/payments.ts";
import { callerOf, expectRefusal } from "#test/sandbox/caller.ts";
import { deceptiveTexts, honestTexts } from "./deceptive-texts.ts";

let bank: TestBank;
let client: TppClient;
let token: string;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  token = await client.clientToken("payments");
});
after(() => bank?.close());

type Fault = { ErrorCode: string; Path: string };

async function faultsOf(members: Record<string, unknown>): Promise<Fault[]> {
  const Initiation = {
    InstructionIdentification: "i1",
    EndToEndIdentification: "e1",
    InstructedAmount: { Amount: "10.00", Currency: "GBP" },
    CreditorAccount: quickPayee,
    ...members,
  };
  const { status, body } = await client.call<{ Errors?: Fault[] }>({
    path: "/v4.0/pisp/domestic-payment-consents",
    token,
    body: { Data: { Initiation }, Risk: {} },
  });
  assert.ok(status === 201 || status === 400, `${status}`);
  return body.Errors?.map(({ ErrorCode, Path }) => ({ ErrorCode, Path })) ?? [];
}

for (const [name, text] of Object.entries(deceptiveTexts)) {
  test(`P-072: deceptive characters in a payment's texts are U002 with their path (${name})`, async () => {
    const faults = await faultsOf({
      CreditorAccount: { ...quickPayee, Name: text },
      RemittanceInformation: { Unstructured: [text] },
    });
    assert.deepEqual(faults, [
      { ErrorCode: "U002", Path: "Data.Initiation.CreditorAccount.Name" },
      { ErrorCode: "U002", Path: "Data.Initiation.RemittanceInformation.Unstructured[0]" },
    ]);
  });
}

test("a TPP's name is refused if it contains a deceptive character", async () => {
  const call = callerOf(bank);
  for (const [what, name] of Object.entries(deceptiveTexts)) {
    const body = { name, roles: ["PISP"], redirectUris: ["https://tpp.example/cb"] };
    const { faults } = await expectRefusal(await call("POST", "/tpps", body), 400);
    assert.match(faults.join(), /^name: must contain only visible characters/, what);
  }
});

test("names in modern scripts are accepted and shown in full", async () => {
  for (const text of honestTexts) {
    assert.deepEqual(await faultsOf({ CreditorAccount: { ...quickPayee, Name: text } }), [], text);
    assert.ok(html`<b>${text}</b>`.text.includes(escapeHtml(text)), text);
  }
});

test("a page does not show deceptive characters, whatever the source of the text", () => {
  for (const [what, text] of Object.entries(deceptiveTexts)) {
    if (what === "a new line" || what === "a variation selector") continue; // white space on a page
    const { text: shown } = html`<b>${text}</b>`;
    assert.doesNotMatch(shown, /[\u202a-\u202e\u2066\u2067\u200b\u2028\u2029\u2800\u3164]/, what);
    assert.doesNotMatch(shown, /\p{M}{5}/u, what);
    assert.notEqual(shown, `<b>${text}</b>`, what);
  }
});

test("right-to-left text is isolated from its neighbours, except in attributes", () => {
  const name = "דוד 12";
  assert.equal(html`<p>${name} 34</p>`.text, `<p>\u2068${name}\u2069 34</p>`);
  assert.equal(
    html`<input value="${name}">${name}`.text,
    `<input value="${name}">\u2068${name}\u2069`,
  );
  assert.equal(html`value="${name}"`.text, `value="${name}"`);
});
