import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clientPaths } from "#src/auth/provider/endpoints.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";

// Every endpoint that TPPs call is limited and logged: a new one must be in both lists.

let [limited, free] = [] as unknown as [TestBank, TestBank];
before(async () => {
  [limited, free] = [await openBank({ RATE_LIMIT_PER_SECOND: 1 }), await openBank()];
});
after(async () => {
  await limited?.close();
  await free?.close();
});

const post = (client: TppClient, path: string) =>
  client.send(`${client.bank.mtlsUrl}${path}`, "POST", Buffer.from("a=b"), {
    "content-type": "application/x-www-form-urlencoded",
  });

for (const path of Object.values(clientPaths)) {
  test(`requests to ${path} are limited for each TPP, and logged`, async () => {
    const client = await limited.createTpp();
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(client, path)));
    assert.ok(answers.some(({ status }) => status === 429));
    await post(await free.createTpp(), path);
    const { requests } = await free.control<{ requests: { path: string }[] }>("GET", "/requests");
    assert.ok(
      requests.some((one) => one.path === path),
      JSON.stringify(requests.slice(0, 3)),
    );
  });
}
