import type { Bank } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { createAccountCalls } from "./accounts.ts";
import { createBeneficiaryCalls } from "./beneficiaries.ts";
import { createChallengeCalls } from "./challenges.ts";
import { createCustomerCalls } from "./customers.ts";
import { createExchangeCalls } from "./exchange/exchange-calls.ts";
import type { CurrencyPair } from "./exchange/rates.ts";
import { createMandateCalls } from "./mandates.ts";
import { createPaymentCalls } from "./payments.ts";
import { acceptingScheme, type Scheme } from "./scheme.ts";
import { sandboxCharges } from "./tariff.ts";

/** The options of the sandbox's bank. */
export type SandboxBankOptions = {
  database: Database;
  clock: Clock;
  /** The responses of the other banks; by default, they accept every payment after two seconds. */
  scheme?: Scheme;
  /** Whether firm rates are quoted between two currencies; unless given they are between all. */
  hasFirmRates?: (pair: CurrencyPair) => boolean;
};

/**
 * The bank of the sandbox: customers, accounts and payments on the double-entry ledger of the
 * database, with the other banks behind simulated schemes: Faster Payments, SEPA and SWIFT.
 */
export function createSandboxBank({
  database,
  clock,
  scheme = acceptingScheme,
  hasFirmRates = () => true,
}: SandboxBankOptions): Bank {
  return {
    ...createCustomerCalls(database),
    ...createChallengeCalls(database, clock),
    ...createAccountCalls(database),
    ...createExchangeCalls(database, clock, hasFirmRates),
    ...createBeneficiaryCalls(database, clock),
    ...createMandateCalls(database, clock),
    ...createPaymentCalls(database, clock, scheme),
    chargesOf: sandboxCharges,
  };
}
