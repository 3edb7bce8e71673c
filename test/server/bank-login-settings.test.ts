import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "#src/config/config.ts";
import { openBank } from "#test/harness.ts";

// The settings of the bank's own login are complete, or the bank does not start.

const issuer = "https://login.bank.example";
const cases = [
  [{ BANK_LOGIN_CLIENT_ID: "a" }, ["BANK_LOGIN_CLIENT_ID: this setting needs BANK_LOGIN_ISSUER"]],
  [{ BANK_LOGIN_KEY: "key.pem" }, ["BANK_LOGIN_KEY: this setting needs BANK_LOGIN_ISSUER"]],
  [
    { BANK_LOGIN_ISSUER: issuer },
    [
      "BANK_LOGIN_CLIENT_ID: BANK_LOGIN_ISSUER needs this setting",
      "BANK_LOGIN_KEY: BANK_LOGIN_ISSUER needs this setting",
    ],
  ],
  [
    { BANK_LOGIN_ISSUER: issuer, BANK_LOGIN_CLIENT_ID: "a" },
    ["BANK_LOGIN_KEY: BANK_LOGIN_ISSUER needs this setting"],
  ],
] as const;

for (const [settings, faults] of cases) {
  test(`a bank with ${Object.keys(settings).join(" and ")} alone does not start`, async () => {
    await assert.rejects(
      openBank(settings).then((bank) => bank.close()),
      (error: Error) => {
        assert.ok(error instanceof ConfigError, String(error));
        assert.deepEqual(error.faults, faults);
        return true;
      },
    );
  });
}
