import assert from "node:assert/strict";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";

/** Operators suspend the TPP and restore it; then they remove it. */
export async function suspendAndRemove(
  client: TppClient,
  operate: (...line: string[]) => Promise<string>,
): Promise<void> {
  const { clientId } = client.tpp;
  const path = "/v4.0/pisp/domestic-payment-consents/none";
  const token = await client.clientToken("payments");
  const ask = async () => (await client.call({ path, token })).status;
  const served = await ask();
  await operate("clients", "suspend", clientId);
  assert.equal(await ask(), 401);
  await assert.rejects(client.clientToken("payments"));
  assert.match(await operate("clients", "show", clientId), /^status +suspended by the bank$/m);
  await operate("clients", "restore", clientId);
  assert.deepEqual([served, await ask()], [400, 400], "there is no such consent");
  await operate("clients", "remove", clientId);
  assert.equal(await ask(), 401);
}
