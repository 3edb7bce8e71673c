import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { present } from "#src/lib/assert.ts";
import { authoriseHeadless } from "#src/sandbox/test-tpp/headless-customer.ts";
import { type Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { JourneyLoad, JourneyLoadResult } from "./journey-load.ts";

// Client assertions and consents are signed before the first journey starts. Request objects and
// orders contain the consent's id, so they are signed during the journey. Each call says whether it
// is signed, because this file also runs with the code of commits that cannot list operations.

type Prepared = {
  assertions: [string, string];
  initiation: object;
  consent: Buffer;
  signature: string;
};

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const risk = { PaymentContextCode: "TransferToThirdParty" };

/** Signs what can be signed before a journey starts. */
export async function prepareJourney(client: TppClient): Promise<Prepared> {
  const exp = Math.floor(Date.now() / 1000) + 1800;
  const initiation = {
    InstructionIdentification: randomUUID().slice(0, 30),
    EndToEndIdentification: `E2E-${randomUUID().slice(0, 20)}`,
    InstructedAmount: { Amount: "1.23", Currency: "GBP" },
    CreditorAccount: {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: "20001512345678",
      Name: "The Corner Shop Limited",
    },
    RemittanceInformation: { Unstructured: ["Invoice 42"] },
  };
  const consent = Buffer.from(JSON.stringify({ Data: { Initiation: initiation }, Risk: risk }));
  return {
    assertions: [await client.assertion({ exp }), await client.assertion({ exp })],
    initiation,
    consent,
    signature: await client.signature(consent),
  };
}

async function runAll(
  load: JourneyLoad,
  client: TppClient,
  prepared: Prepared[],
): Promise<JourneyLoadResult> {
  const latencies: number[] = [];
  const wrong: string[] = [];
  let next = 0;
  const startedAt = performance.now();
  const walk = async (_: unknown, index: number): Promise<void> => {
    const customer = present(load.customers[index], "a customer for each journey in progress");
    for (;;) {
      const journey = prepared[next++];
      if (!journey) return;
      const begun = performance.now();
      try {
        await runJourney(load, client, customer, journey);
        latencies.push(performance.now() - begun);
      } catch (error) {
        wrong.push(String((error as Error).stack));
      }
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, walk));
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    journeysPerSecond: latencies.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    failures: wrong.length,
    firstFailure: wrong[0] ?? null,
  };
}

/** Runs a journey from the client token to the order. Throws if it does not succeed. */
export async function runJourney(
  { publicUrl }: Pick<JourneyLoad, "publicUrl">,
  client: TppClient,
  { login, password }: JourneyLoad["customers"][number],
  { assertions, initiation, consent, signature }: Prepared,
): Promise<void> {
  const authenticated = (client_assertion: string) => ({
    client_assertion_type: assertionType,
    client_assertion,
  });
  const tokens = await client.token({
    grant_type: "client_credentials",
    scope: "payments",
    ...authenticated(assertions[0]),
  });
  const path = "/v4.0/pisp/domestic-payment";
  const lodged = await client.call<{ Data: { ConsentId: string } }>({
    path: `${path}-consents`,
    token: tokens.access_token,
    body: consent,
    signed: false,
    idempotencyKey: randomUUID(),
    headers: { "x-jws-signature": signature },
  });
  expectCreated(lodged);
  const { ConsentId } = lodged.body.Data;
  const authorizationUrl = await client.authorizationUrl({
    scope: "payments",
    consentId: ConsentId,
  });
  const { redirectUrl } = await authoriseHeadless(
    { authorizationUrl, customer: login, decision: "approve" },
    { publicUrl, passwordOf: () => password, expireJourney: async () => undefined },
  );
  const answer = new URLSearchParams(new URL(redirectUrl).hash.slice(1));
  const access = await client.token({
    grant_type: "authorization_code",
    code: present(answer.get("code"), redirectUrl),
    redirect_uri: redirectUrl.slice(0, redirectUrl.indexOf("#")),
    ...authenticated(assertions[1]),
  });
  const order = { Data: { ConsentId, Initiation: initiation }, Risk: risk };
  const ordered = await client.call({
    path: `${path}s`,
    token: access.access_token,
    body: order,
    signed: true,
    idempotencyKey: randomUUID(),
  });
  expectCreated(ordered);
}

function expectCreated({ status, raw }: Answer): void {
  if (status !== 201) throw new Error(`the bank answered ${status}: ${raw}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once("message", async (message) => {
    const load = message as JourneyLoad; // sent by journey-load.ts
    const client = new TppClient({ ...load, operations: [] }, load.tpp);
    const prepared: Prepared[] = [];
    for (let index = 0; index < load.journeys; index++) prepared.push(await prepareJourney(client));
    const part = Math.ceil(prepared.length / (load.parts ?? 1));
    process.on("message", async () => {
      const result = await runAll(load, client, prepared.splice(0, part));
      process.send?.(result, () => prepared.length === 0 && process.exit(0));
    });
    process.send?.("ready");
  });
}
