import assert from "node:assert/strict";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { startCommand } from "#test/cli/running-bank.ts";
import { expectStatus } from "#test/harness.ts";
import type { Resource } from "./payments.ts";

type Operated = {
  client: TppClient;
  /** Runs a command that must succeed. Returns its output. */
  operate(...line: string[]): Promise<string>;
  environment: Record<string, string>;
};

/**
 * The TPP reads a balance with Ada's consent. Then operators find the consent, read it and stop it,
 * and its token is refused.
 */
export async function readAndStop(
  { client, operate, environment }: Operated,
  { consentId, token }: { consentId: string; token: string },
): Promise<void> {
  const path = "/v3.1/aisp/accounts/second-current/balances";
  const answer = await client.call<Resource>({ path, token });
  expectStatus(answer, 200);
  assert.match(JSON.stringify(answer.body.Data), /"Amount":"10000.00"/);
  const listed = await operate("consents", "list", "second-ada");
  assert.match(listed, new RegExp(`${consentId}  account-access  .*  Thrift  second-current`));
  assert.match(await operate("consents", "show", consentId), /^ {2}customer +second-ada$/m);
  const why = ["--by", "bank", "--actor", "ops-3", "--reason", "a lost phone"];
  await operate("consents", "stop", consentId, ...why);
  expectStatus(await client.call({ path, token }), 401);
  const shown = await operate("consents", "show", consentId);
  assert.match(shown, /by bank: ops-3 \(operator\): a lost phone/);
  const again = startCommand(["consents", "stop", consentId, ...why], environment);
  assert.equal(await again.ended, 1, again.said());
}
