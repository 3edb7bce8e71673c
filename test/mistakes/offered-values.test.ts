// A TPP that leaves a member out is told what to send. What the answer offers must be accepted:
// otherwise the TPP corrects its request and is refused again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isObject } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Answer } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Body, changed, openPlace, type Place, sampleConsent } from "./place.ts";

let place: Place;
// examples that lie in the future today pass in the course of time
const day = Temporal.PlainDate.from("2031-05-06");
before(async () => {
  place = await openPlace({ CLOCK_START: `${day}T09:00:00Z` });
});
after(() => place?.bank.close());

type Refusal = { Errors?: { ErrorCode: string; Message: string; Path: string }[] };

// the schema of an Initiation of variable recurring payments does not want the payee that sweeping
// needs; the second answer says so
const left = ["Data"];

const isVrp = ({ Data }: Body): boolean => Object.hasOwn(Data as object, "ControlParameters");

/** Every member of a body, in `a.b` form. */
const membersOf = (body: Body, at = ""): string[] =>
  Object.entries(body).flatMap(([name, value]) => [
    `${at}${name}`,
    ...(isObject(value) ? membersOf(value as Body, `${at}${name}.`) : []),
  ]);

/** The value that a refusal offers for a missing member, or undefined. */
function offeredBy({ status, body }: Answer<Refusal>, path: string): unknown {
  const [fault, ...others] = body.Errors ?? [];
  if (status !== 400 || others.length > 0 || fault?.Path !== path) return undefined;
  const text = /Send it: .*such as (.+)\.$/s.exec(fault.Message)?.[1];
  if (text === undefined) return undefined;
  return /^[{[]/.test(text) ? JSON.parse(text) : text.split(" or ")[0];
}

/** Leaves out each member in turn, and sends what the answer offers: lists what is refused. */
async function refusedOffers(
  body: Body,
  send: (body: Body) => Promise<Answer<Refusal>>,
): Promise<{ tried: string[]; refused: string[] }> {
  const tried: string[] = [];
  const refused: string[] = [];
  for (const path of membersOf(body).filter((one) => !(isVrp(body) && left.includes(one)))) {
    const offered = offeredBy(await send(changed(body, { [path]: undefined })), path);
    if (offered === undefined) continue;
    tried.push(path);
    const { status, body: answer } = await send(changed(body, { [path]: offered }));
    if (status !== 201)
      refused.push(`${path} ${JSON.stringify(offered)}: ${JSON.stringify(answer.Errors)}`);
  }
  return { tried, refused };
}

for (const [version, path] of [
  ["pisp-v3.1", "/v3.1/pisp"],
  ["pisp-v4.0", "/v4.0/pisp"],
] as const) {
  for (const { id: kind } of paymentKinds) {
    test(`what the bank offers for a missing member of a ${kind} consent of ${version} is accepted`, async () => {
      const { tried, refused } = await refusedOffers(
        sampleConsent(kind, { day, version }),
        (body) =>
          place.tpp.call<Refusal>({
            path: `${path}/${kind}-consents`,
            token: place.tokens.payments,
            body,
          }),
      );
      assert.ok(tried.length > 0);
      assert.deepEqual(refused, []);
    });
  }
}

test("V-101, V-108, V-109: what the bank offers for a missing member of a VRP order is accepted", async () => {
  const { token } = place.vrp;
  // many orders have to fit into the limit of a week
  const body = changed(place.vrp.body, { "Data.Instruction.InstructedAmount.Amount": "1.00" });
  const { tried, refused } = await refusedOffers(body, (changedBody) =>
    place.tpp.call<Refusal>({ path: "/v4.0/pisp/domestic-vrps", token, body: changedBody }),
  );
  assert.ok(tried.includes("Data.Instruction"), tried.join());
  assert.deepEqual(refused, []);
});
