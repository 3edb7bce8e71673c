import {
  type ClientVrpContract,
  grantVrpContract,
  listVrpContracts,
  organisationOf,
  type VrpContract,
  withdrawVrpContract,
} from "#src/clients/vrp-contracts.ts";
import {
  type ContractUse,
  countContractConsents,
  endContractConsents,
} from "#src/consents/contract-consents.ts";
import { byBank } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import { bankDate } from "#src/payments/calendar/timing.ts";
import type { SchemeStatus } from "#src/standard/shared/vrp-types.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type MeteredPayment, type MeteringPeriod, meterPayments } from "./metering.ts";
import { applySchemeStatuses } from "./scheme-standing.ts";

/** A contract as an operator grants it. Absent members have the defaults of `VrpContract`. */
export type GrantedContract = Pick<VrpContract, "contractId" | "types" | "purpose"> &
  Partial<VrpContract>;

/** A contract with its TPP and the number of its consents. */
export type ShownContract = ClientVrpContract & ContractUse;

/** The operations of the bank's staff on contracts for variable recurring payments. */
export type ContractOperations = {
  /** Lists all contracts, current or not. */
  list(): Promise<ShownContract[]>;
  /** Grants or replaces a contract. Returns false if the client is unknown. */
  grant(clientId: string, contract: GrantedContract): Promise<boolean>;
  /**
   * Withdraws a contract and, if `endsConsents` is set, ends its consents, even if the contract was
   * withdrawn earlier. Returns the number of consents that were cancelled. Returns null if the
   * client does not have the contract; if `endsConsents` is set, only if none of its consents names
   * the contract either.
   */
  withdraw(
    clientId: string,
    contractId: string,
    options: { endsConsents: boolean },
  ): Promise<number | null>;
  /**
   * Stores the status of a TPP's organisation in the commercial scheme, null if it is not known. If
   * it is Revoked, the consents that are only for the scheme end.
   * Returns false if the client is unknown.
   */
  setStatus(clientId: string, status: SchemeStatus | null): Promise<boolean>;
  meter(period: MeteringPeriod): AsyncIterable<MeteredPayment>;
};

/** Makes the operations on the contracts of a bank. */
export const contractOperations = (on: Queryable, clock: Clock): ContractOperations => ({
  async list() {
    const contracts = await listVrpContracts(on);
    return Promise.all(
      contracts.map(async (contract) => ({
        ...contract,
        ...(await countContractConsents(on, contract)),
      })),
    );
  },
  grant: (clientId, contract) =>
    grantVrpContract(on, clientId, completed(contract, clock), byBank(clock.now())),
  async withdraw(clientId, contractId, { endsConsents }) {
    const why = byBank(clock.now());
    // the contract is withdrawn first, so that a consent that is created meanwhile ends too
    const isWithdrawn = await withdrawVrpContract(on, clientId, contractId, why);
    if (!endsConsents) return isWithdrawn ? 0 : null;
    const of = { clientId, contractId };
    // a contract that was withdrawn earlier is known only from its consents
    if (!isWithdrawn && (await countContractConsents(on, of)).consents === 0) return null;
    return endContractConsents(on, of, why);
  },
  async setStatus(clientId, status) {
    const organisationId = await organisationOf(on, clientId);
    if (organisationId === null) return false;
    await applySchemeStatuses(on, [{ organisationId, status }], byBank(clock.now()));
    return true;
  },
  meter: (period) => meterPayments(on, period),
});

/** By default, a contract begins today, is open-ended, and grants no more than its types. */
const completed = (contract: GrantedContract, clock: Clock): VrpContract => ({
  from: bankDate(clock.now()).toString(),
  until: null,
  payeePerPayment: false,
  tppAuthenticates: false,
  maximumMinor: null,
  ...contract,
});
