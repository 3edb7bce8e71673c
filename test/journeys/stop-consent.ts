import assert from "node:assert/strict";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { startCommand } from "#test/cli/running-bank.ts";
import { expectStatus } from "#test/harness.ts";
import { until } from "#test/until.ts";
import type { LiveCore } from "./live-cores.ts";
import type { Resource } from "./payments.ts";

type Operated = {
  client: TppClient;
  /** Runs a command that must succeed. Returns its output. */
  operate(...line: string[]): Promise<string>;
  environment: Record<string, string>;
  core: LiveCore;
};

/**
 * The TPP reads a balance with the customer's consent. Then operators find the consent, read it and
 * stop it, and its token is refused.
 */
export async function readAndStop(
  { client, operate, environment, core }: Operated,
  { consentId, token }: { consentId: string; token: string },
): Promise<void> {
  const { customerId, accountId } = core;
  const path = `/v3.1/aisp/accounts/${accountId}/balances`;
  const amount = `"Amount":"${await core.balance()}"`;
  // a core over HTTP is asked for its facts about once a second
  const answer = await until(
    () => client.call<Resource>({ path, token }),
    ({ status, raw }) => status !== 200 || raw.toString().includes(amount),
  );
  expectStatus(answer, 200);
  const listed = await operate("consents", "list", customerId);
  assert.match(listed, new RegExp(`${consentId}  account-access  .*  Thrift  ${accountId}`));
  const evidence = await operate("consents", "show", consentId);
  assert.match(evidence, new RegExp(`^ {2}customer +${customerId}$`, "m"));
  assert.match(evidence, new RegExp(`\\b${core.method}\\b`));
  const why = ["--by", "bank", "--actor", "ops-3", "--reason", "a lost phone"];
  await operate("consents", "stop", consentId, ...why);
  expectStatus(await client.call({ path, token }), 401);
  const shown = await operate("consents", "show", consentId);
  assert.match(shown, /by bank: ops-3 \(operator\): a lost phone/);
  const again = startCommand(["consents", "stop", consentId, ...why], environment);
  assert.equal(await again.ended, 1, again.said());
}
