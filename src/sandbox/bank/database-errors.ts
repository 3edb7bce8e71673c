import { BankError } from "#src/bank/port.ts";
import { sqlState } from "#src/storage/database.ts";

// serialization failure, deadlock, lock not available, too many connections, server starting or
// stopping: the statement did nothing
const retryable = new Set(["40001", "40P01", "55P03", "53300", "57P03"]);

/**
 * Runs one statement that moves money. Errors become BankErrors: `retry` if the database rolled
 * back, `unknown` if the statement may have been executed, as after a lost connection.
 */
export async function asBankCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const state = sqlState(error);
    const outcome = state !== undefined && retryable.has(state) ? "retry" : "unknown";
    throw new BankError(outcome, "the ledger rejected the batch", { cause: error });
  }
}
