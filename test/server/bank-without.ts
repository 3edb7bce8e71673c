import { writeFileSync } from "node:fs";
import { servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import { accountSamples, fundsSamples } from "#src/server/examples/reference-samples.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { openBank } from "#test/harness.ts";
import { kindSample } from "#test/journeys/kind-sample.ts";

// A program that left-out-versions.test.ts runs in a process without an API version
// (without-version.ts). It opens the bank, calls what is left, and writes what it found to a file.

const [left = "", path = "", report = ""] = process.argv.slice(2);

const bank = await openBank();
try {
  const client = await bank.createTpp();
  const apis = [...new Set(listOperations(paymentKinds).map(({ api }) => api))];
  const get = async (url: string) => {
    const response = await fetch(bank.publicUrl + url);
    return { status: response.status, text: await response.text() };
  };
  const statuses: Record<string, number> = {};
  const post = async (key: string, url: string, scope: Scope, body: object) => {
    const token = await client.clientToken(scope);
    statuses[key] = (await client.call({ path: url, token, body })).status;
  };
  for (const api of apis) {
    const base = pathOf(api);
    const [family] = api.id.split("-");
    statuses[`${api.id} document`] = (await get(`/openapi/${api.id}.json`)).status;
    if (family === "aisp") {
      const [body = {}] = Object.values(accountSamples({}));
      await post(api.id, `${base}/account-access-consents`, "accounts", body);
    } else if (family === "cbpii") {
      const [body = {}] = Object.values(fundsSamples);
      await post(api.id, `${base}/funds-confirmation-consents`, "fundsconfirmations", body);
    } else if (family === "events") {
      const token = await client.clientToken("accounts");
      statuses[api.id] = (await client.call({ path: `${base}/event-subscriptions`, token })).status;
    }
  }
  for (const kind of paymentKinds.flatMap(servedKinds)) {
    const { version } = kind.format;
    const { consent } = kindSample(bank, kind, version.id);
    const url = `${pathOf(version)}/${kind.id}-consents`;
    await post(`${version.id} ${kind.id}`, url, "payments", consent);
  }
  await bank.advance("P2D");
  const { status, body } = await client.call<{ Errors: { Message: string }[] }>({ path });
  const found = {
    apis: apis.map(({ id }) => id),
    statuses,
    document: (await get(`/openapi/${left}.json`)).status,
    isInReference: (await get(`/docs/api/${left}`)).status === 200,
    isOnHomePage: (await get("/")).text.includes(`/openapi/${left}.json`),
    lost: { status, message: body.Errors[0]?.Message },
    verified: await bank.control("GET", "/verify"),
  };
  writeFileSync(report, JSON.stringify(found));
} finally {
  await bank.close();
}
