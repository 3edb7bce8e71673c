import type {
  ContractOperations,
  ShownContract,
} from "#src/payments/limits/contract-operations.ts";
import type { MeteredPayment } from "#src/payments/limits/metering.ts";

/** Sends a request to the sandbox's interface. Throws if the bank refuses the request. */
type Call = (method: string, path: string, body?: object) => Promise<unknown>;

/** The operations on contracts through the sandbox's interface, which says what it refuses. */
export const contractsThrough = (call: Call): ContractOperations => ({
  async list() {
    const answer = (await call("GET", "/vrp-contracts")) as { contracts: ShownContract[] };
    return answer.contracts;
  },
  async grant(clientId, { contractId, ...terms }) {
    await call("PUT", pathOf(clientId, contractId), terms);
    return true;
  },
  async withdraw(clientId, contractId, options) {
    const path = `${pathOf(clientId, contractId)}/withdrawal`;
    return ((await call("POST", path, options)) as { cancelled: number }).cancelled;
  },
  async setStatus(clientId, status) {
    await call("PUT", `/tpps/${encodeURIComponent(clientId)}/scheme-status`, { status });
    return true;
  },
  async *meter({ from, until, asOf }) {
    const period = { from: from.toString(), until: until.toString(), asOf: asOf.toString() };
    const answer = await call("POST", "/vrp-metering", period);
    yield* (answer as { payments: MeteredPayment[] }).payments;
  },
});

const pathOf = (clientId: string, contractId: string): string =>
  `/tpps/${encodeURIComponent(clientId)}/vrp-contracts/${encodeURIComponent(contractId)}`;
