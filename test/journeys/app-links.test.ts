import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "./payments.ts";

// By which links phones open the bank's app, and what happens without the app.

const fingerprint = Array.from({ length: 32 }, () => "AB").join(":");
let bank: TestBank;
before(async () => {
  bank = await openBank({
    APP_LINKS_APPLE: "ABCDE12345.example.bank.app",
    APP_LINKS_ANDROID: `example.bank.app=${fingerprint}`,
  });
});
after(() => bank?.close());

test("CB-23, CB-24: the association files name the bank's apps, for authorization URLs only", async () => {
  const discovery = await fetch(`${bank.publicUrl}/.well-known/openid-configuration`);
  const { authorization_endpoint: endpoint } = (await discovery.json()) as Record<string, string>;
  assert.equal(endpoint, `${bank.publicUrl}/auth`);
  const file = `${bank.publicUrl}/.well-known/apple-app-site-association`;
  const apple = await fetch(file, { redirect: "error" });
  assert.equal(apple.headers.get("content-type")?.split(";")[0], "application/json");
  assert.deepEqual(await apple.json(), {
    applinks: {
      details: [
        {
          appIDs: ["ABCDE12345.example.bank.app"],
          components: [{ "/": "/auth", "?": { client_id: "?*" } }],
        },
      ],
    },
  });
  const android = await fetch(`${bank.publicUrl}/.well-known/assetlinks.json`, {
    redirect: "error",
  });
  assert.deepEqual(await android.json(), [
    {
      relation: ["delegate_permission/common.handle_all_urls"],
      target: {
        namespace: "android_app",
        package_name: "example.bank.app",
        sha256_cert_fingerprints: [fingerprint],
      },
    },
  ]);
});

test("CB-21: without the app, the same URL works in a browser, with the same steps", async () => {
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
  const visitor = new Visitor(bank);
  await visitor.open(authorizationUrl);
  assert.equal(visitor.step, "login");
  const { redirectUrl } = await bank.decide({
    authorizationUrl,
    customer: "dev",
    decision: "approve",
  });
  assert.ok((await client.exchangeCode(redirectUrl)).access_token);
});

test("CB-25: each brand has a host of its own, whose files name its own apps", async () => {
  const other = await openBank({ APP_LINKS_APPLE: "ABCDE12345.example.business.app" });
  try {
    for (const [brand, app] of [
      [bank, "ABCDE12345.example.bank.app"],
      [other, "ABCDE12345.example.business.app"],
    ] as const) {
      const read = async (path: string) =>
        (await fetch(`${brand.publicUrl}/.well-known/${path}`)).json();
      const { applinks } = (await read("apple-app-site-association")) as AppleFile;
      assert.deepEqual(
        applinks.details.flatMap(({ appIDs }) => appIDs),
        [app],
      );
      const document = (await read("openid-configuration")) as Record<string, string>;
      assert.equal(document.authorization_endpoint, `${brand.publicUrl}/auth`);
    }
  } finally {
    await other.close();
  }
});

type AppleFile = { applinks: { details: { appIDs: string[] }[] } };
