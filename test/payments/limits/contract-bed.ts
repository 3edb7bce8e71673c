import assert from "node:assert/strict";
import { grantVrpContract, type VrpContract } from "#src/clients/vrp-contracts.ts";
import { byBank as theBank } from "#src/history/change.ts";
import { vrpContract } from "#test/clients/add-client.ts";
import type { Answer, Json } from "#test/payments/answer-check.ts";
import type { PaymentsFixture } from "#test/payments/fixture.ts";

/** The type of a bilateral contract, and those of the commercial scheme. */
export const other = "UK.OBIE.VRPType.Other";
export const scheme = (number: 1 | 2 | 3) => `UK.OBIE.VRPType.CVRP${number}` as const;

/** The authentication of a customer by the TPP. */
export const byTpp = "UK.OBIE.SCA";

/** Grants the bank's TPP a contract, which may differ from the usual one. */
export async function grantTo(
  { database, tpp, clock }: Pick<PaymentsFixture, "database" | "tpp" | "clock">,
  contract: Partial<VrpContract> = {},
): Promise<void> {
  const given = { ...vrpContract, ...contract };
  assert.ok(await grantVrpContract(database, tpp.clientId, given, theBank(clock.now())));
}

/** A change of a consent's body. */
export type Change = (body: Json) => void;

/** Makes a consent one of these types; `change` may alter it further. */
export const commercial =
  (types: readonly string[] = [other], change: Change = () => undefined): Change =>
  (body) => {
    body.Data.ControlParameters.VRPType = [...types];
    change(body);
  };

/** Leaves the payee to each payment. */
export const withoutPayee: Change = (body) => delete body.Data.Initiation.CreditorAccount;

/** Lets the TPP authenticate the customer for each payment. */
export const authenticated: Change = (body) => {
  body.Data.ControlParameters.PSUAuthenticationMethods = [byTpp];
};

/** Says that the customer is not present. */
export const offSession: Change = (body) => {
  body.Data.ControlParameters.PSUInteractionTypes = ["OffSession"];
};

/** Leaves out the interaction types and the risk indicators, as the official suite does. */
export const withoutInteraction: Change = (body) => {
  delete body.Data.ControlParameters.PSUInteractionTypes;
  body.Risk = {};
};

/** The status of an answer of v4.0, and its faults as code and path. */
export const refused = ({ status, body }: Answer): [number, ...[string, string][]] => [
  status,
  ...(body?.Errors ?? []).map(({ ErrorCode, Path }: Json) => [ErrorCode, Path]),
];
