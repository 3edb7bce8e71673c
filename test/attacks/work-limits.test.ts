import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { paymentKinds } from "#src/payments/kinds/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";

type Refusal = { Errors: { ErrorCode: string; Path?: string; Message: string }[] };

suite("the work for one request is limited", () => {
  let bank: TestBank;
  let tpp: TppClient;
  before(async () => {
    bank = await openBank();
    tpp = await bank.createTpp();
  });
  after(() => bank?.close());

  test("a JSON body of more than 128 kB is 413, and the message gives the limit", async () => {
    const body = { Data: { Note: "x".repeat(131_072) }, Risk: {} };
    const path = "/v4.0/pisp/domestic-payment-consents";
    const token = await tpp.clientToken("payments");
    const answer = await tpp.call<Refusal>({ path, token, body });
    assert.equal(answer.status, 413);
    const [fault] = answer.body.Errors;
    assert.equal(fault?.ErrorCode, "U010");
    assert.match(fault?.Message ?? "", /131072 bytes.*BODY_LIMIT_BYTES/);
  });

  test("100 lines of remittance information are accepted, and 101 are refused", async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, line) => `Line ${line}`);
    const initiation = (count: number) => ({
      initiation: { RemittanceInformation: { Unstructured: lines(count) } },
    });
    await lodge(tpp, initiation(100));
    await assert.rejects(lodge(tpp, initiation(101)), /an array of at most 100 members/);
  });

  for (const kind of paymentKinds) {
    test(`every array in a consent of the kind ${kind.id} is limited`, async () => {
      const token = await tpp.clientToken("payments");
      for (const wire of Object.values(kind.wires)) {
        const { consent } = wire.sample(Temporal.PlainDate.from("2027-01-01"));
        for (const { path, array } of arraysIn(consent)) {
          const [item] = array;
          array.push(...Array(1000).fill(item));
          const { basePath } = wire.version;
          const answer = await tpp.call<Refusal>({
            path: `${basePath.replace("/api/open-banking", "")}/${kind.id}-consents`,
            token,
            body: consent,
          });
          array.length = 1;
          assert.equal(answer.status, 400, `${path} ${answer.raw}`);
          const paths = answer.body.Errors.map(({ Path }) => Path);
          assert.ok(paths.includes(path), `${path} is not in ${paths.join(", ")}`);
        }
      }
    });
  }

  for (const [name, path, scope, body] of [
    [
      "Data.Permissions",
      "/v3.1/aisp/account-access-consents",
      "accounts",
      { Data: { Permissions: Array(101).fill("ReadAccountsBasic") }, Risk: {} },
    ],
    ["ack", "/v4.0/events", "payments", { ack: Array(1001).fill("a") }],
  ] as const) {
    test(`the array ${name} is limited`, async () => {
      const token = await tpp.clientToken(scope);
      const answer = await tpp.call<Refusal>({ path, token, body });
      assert.equal(answer.status, 400, String(answer.raw));
      assert.match(answer.body.Errors[0]?.Message ?? "", /an array of (at most|1 to) \d+ members/);
    });
  }
});

type Found = { path: string; array: unknown[] };

/** Every array inside a body that is not empty, with its path. */
function arraysIn(value: unknown, path = ""): Found[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) && value.length > 0 ? [{ path, array: value }] : [];
  const below = Object.entries(value).flatMap(([name, member]) =>
    arraysIn(member, Array.isArray(value) ? `${path}[${name}]` : path ? `${path}.${name}` : name),
  );
  return [...own, ...below];
}
