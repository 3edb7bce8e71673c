import { type ClientRegistration, registerClient } from "#src/clients/register-client.ts";
import type { VrpContract } from "#src/clients/vrp-contracts.ts";
import { byBank } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";

/** The members of a client that a test may set; all others have defaults. */
export type GivenClient = Partial<
  Pick<ClientRegistration, "metadata" | "keys" | "setting" | "certificateSubject">
> & { name?: string; roles?: readonly string[]; organisationId?: string; softwareId?: string };

/** Registers a client. By default, its organisation and software are named after it. */
export const addClient = (
  on: Queryable,
  clientId: string,
  given: GivenClient = {},
): Promise<void> => {
  const { name = "TPP", roles = [], keys = [], metadata = {}, certificateSubject = null } = given;
  return registerClient(on, {
    clientId,
    organisation: { organisationId: given.organisationId ?? `org-${clientId}`, name },
    software: { softwareId: given.softwareId ?? `soft-${clientId}`, name, roles },
    metadata,
    certificateSubject,
    keys,
    ...(given.setting ? { setting: given.setting } : {}),
    why: byBank(Temporal.Instant.from("2026-01-01T00:00:00Z")),
  });
};

/** A contract about payments of the type `Other`, to a payee that the consent names. */
export const vrpContract: VrpContract = {
  contractId: "contract-1",
  types: ["UK.OBIE.VRPType.Other"],
  purpose: "bills",
  from: "2026-01-01",
  until: null,
  payeePerPayment: false,
  tppAuthenticates: false,
  maximumMinor: null,
};
