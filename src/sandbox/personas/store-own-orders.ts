import { registerClient } from "#src/clients/register-client.ts";
import { byBank } from "#src/history/change.ts";
import {
  type OwnOrder,
  type OwnOrders,
  storeOwnOrders,
} from "#src/payments/submission/store-own-orders.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { Queryable } from "#src/storage/database.ts";

type OwnChannel = { clientId: string; name: string; apiVersion: ApiVersionId };

/**
 * The client of orders that customers set up in the bank's own channel. It has no keys and is
 * suspended, so nobody can call in its name.
 */
export const ownChannel: OwnChannel = {
  clientId: "aldgate-own-channel",
  name: "Aldgate Bank",
  // the version in whose format the bodies are
  apiVersion: "pisp-v4.0",
};

/** Stores orders of the bank's own channel, each with its consent. */
export async function storeChannelOrders(
  on: Queryable,
  { kind, status, now }: Pick<OwnOrders, "kind" | "status"> & { now: Temporal.Instant },
  orders: readonly OwnOrder[],
): Promise<void> {
  const { clientId, name, apiVersion } = ownChannel;
  await registerClient(on, {
    clientId,
    organisation: { organisationId: "aldgate", name },
    software: { softwareId: "own-channel", name, roles: [] },
    metadata: {},
    certificateSubject: null,
    keys: [],
    setting: { status: "suspended" },
    why: byBank(now),
  });
  await storeOwnOrders(on, { kind, status, clientId, apiVersion }, orders);
}
