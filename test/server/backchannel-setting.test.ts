import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, loadConfig } from "#src/config/config.ts";
import { offersBackchannel } from "#src/server/opening/backchannel.ts";
import { openBank } from "#test/harness.ts";

// When TPPs can begin approvals without a browser.

const sandbox = loadConfig({});
const production = { ...sandbox, ALDGATE_PROFILE: "production" } as const;
const withApp = { challengeResult: async () => ({ state: "pending" }) as const };
const withoutApp = {};

const ownCore = { BANK_URL: "https://core.bank.example" };
const channels = { APP_TOKEN: "a-token-of-the-banks-own-channels" };

const cases: [title: string, offered: boolean, given: Parameters<typeof offersBackchannel>][] = [
  ["a sandbox whose core has an app", true, [sandbox, withApp]],
  ["a sandbox whose core has no app", false, [sandbox, withoutApp]],
  ["a production bank without the setting", false, [production, withApp]],
  [
    "a production bank with the setting",
    true,
    [{ ...production, ...ownCore, ...channels, BACKCHANNEL_AUTHENTICATION: true }, withApp],
  ],
  [
    "a sandbox with a core of the bank's own",
    true,
    [{ ...sandbox, ...ownCore, ...channels }, withApp],
  ],
  [
    "a sandbox with a core of the bank's own, whose app has no token",
    false,
    [{ ...sandbox, ...ownCore }, withApp],
  ],
  [
    "a sandbox that switches it off",
    false,
    [{ ...sandbox, BACKCHANNEL_AUTHENTICATION: false }, withApp],
  ],
  [
    "a sandbox whose customers log in at the bank's own provider",
    false,
    [{ ...sandbox, BANK_LOGIN_ISSUER: "https://login.bank.example" }, withApp],
  ],
  [
    "a sandbox whose customers only log in at the bank's own provider",
    true,
    [
      {
        ...sandbox,
        BANK_LOGIN_ISSUER: "https://login.bank.example",
        BANK_LOGIN_CONFIRMS: "login",
      },
      withApp,
    ],
  ],
];
for (const [title, offered, given] of cases) {
  test(`CB-80: ${title} ${offered ? "offers" : "does not offer"} approvals without a browser`, () => {
    assert.equal(offersBackchannel(...given), offered);
  });
}

const withoutToken = { ...production, ...ownCore, BACKCHANNEL_AUTHENTICATION: true };
const wanted = { ...withoutToken, ...channels };
test("CB-80: a bank that wants them without approvals in its app does not start", () => {
  assert.throws(() => offersBackchannel(wanted, withoutApp), {
    constructor: ConfigError,
    message: /BACKCHANNEL_AUTHENTICATION: the core must have `challengeResult`/,
  });
  const elsewhere = { ...wanted, BANK_LOGIN_ISSUER: "https://login.bank.example" };
  assert.throws(() => offersBackchannel(elsewhere, withApp), /leave this setting out/);
  assert.throws(() => offersBackchannel(withoutToken, withApp), /set APP_TOKEN too/);
});

test("CB-80: a bank that does not offer them has no endpoint, registers no such client and says so to its app", async () => {
  const bank = await openBank({ BACKCHANNEL_AUTHENTICATION: false, ...channels });
  try {
    const response = await fetch(`${bank.publicUrl}/.well-known/openid-configuration`);
    assert.doesNotMatch(await response.text(), /backchannel|ciba/);
    const client = await bank.createTpp();
    const consentId = "any";
    assert.equal((await client.backchannel({ scope: "payments", consentId })).status, 404);
    assert.ok(await client.clientToken("payments"));
    await assert.rejects(
      bank.control("POST", "/approvals/one-time-identifiers", { customer: "amara" }),
      /BACKCHANNEL_AUTHENTICATION is not set/,
    );
  } finally {
    await bank.close();
  }
});
