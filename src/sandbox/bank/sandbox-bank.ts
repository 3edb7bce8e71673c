import type { Bank } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { createAccountCalls } from "./accounts.ts";
import { createBeneficiaryCalls } from "./beneficiaries.ts";
import { type ChallengeCalls, createChallengeCalls } from "./challenges.ts";
import { createCustomerCalls } from "./customers.ts";
import { createExchangeCalls } from "./exchange/exchange-calls.ts";
import type { CurrencyPair } from "./exchange/rates.ts";
import { createMandateCalls } from "./mandates.ts";
import { createPaymentCalls } from "./payments.ts";
import { createPaymentList } from "./received-payments.ts";
import { acceptingScheme, type Scheme } from "./scheme.ts";
import { createStatementDocuments } from "./statement-document/statement-document.ts";
import { sandboxCharges } from "./tariff.ts";

type SandboxBankOptions = {
  database: Database;
  clock: Clock;
  /** The responses of the other banks; by default, they accept every payment after two seconds. */
  scheme?: Scheme;
  /** The name on statements. */
  bankName?: string;
  /** Whether the bank quotes guaranteed rates for a pair; by default, it does for all pairs. */
  hasFirmRates?: (pair: CurrencyPair) => boolean;
};

/** A core whose challenges' codes the sandbox can show. */
export type SandboxBank = Bank & Pick<ChallengeCalls, "codeOf">;

/**
 * Creates the sandbox bank: customers, accounts and payments on the database's double-entry ledger.
 * The other banks are simulated, behind Faster Payments, SEPA and SWIFT.
 */
export function createSandboxBank({
  database,
  clock,
  scheme = acceptingScheme,
  hasFirmRates = () => true,
  bankName = "Aldgate Bank",
}: SandboxBankOptions): SandboxBank {
  return {
    ...createCustomerCalls(database),
    ...createChallengeCalls(database, clock),
    ...createAccountCalls(database),
    ...createExchangeCalls(database, clock, hasFirmRates),
    ...createBeneficiaryCalls(database, clock),
    ...createMandateCalls(database, clock),
    ...createPaymentCalls(database, clock, scheme),
    ...createPaymentList(database),
    ...createStatementDocuments(database, bankName),
    chargesOf: sandboxCharges,
  };
}
