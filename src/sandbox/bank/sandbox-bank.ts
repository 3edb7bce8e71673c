import type { Passkeys } from "#src/bank/passkeys.ts";
import type { Bank, BankCustomer, ReceivedPayment } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { createExchangeCalls } from "#src/sandbox/bank/exchange/exchange-calls.ts";
import type { CurrencyPair } from "#src/sandbox/bank/exchange/rates.ts";
import { createStatementDocuments } from "#src/sandbox/bank/statement-document/statement-document.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { createAccountCalls } from "./accounts.ts";
import { createBeneficiaryCalls } from "./beneficiaries.ts";
import {
  type ChallengeCalls,
  createChallengeCalls,
  type FactorMishap,
  type SandboxApp,
} from "./challenges.ts";
import { createPayeeCalls, type KnownPayee } from "./confirm-payee.ts";
import { createMandateCalls } from "./mandates.ts";
import {
  type Credential,
  createPasskeyChecks,
  createPasskeys,
  credentialsJson,
  type PasskeyChecks,
} from "./passkeys.ts";
import { createPasswordCheck } from "./password.ts";
import { createPaymentCalls } from "./payments.ts";
import { acceptingScheme, type Provoked, type Scheme } from "./scheme.ts";
import { sandboxCharges } from "./tariff.ts";
import type { RelyingParty } from "./webauthn.ts";

type SandboxBankOptions = {
  database: Database;
  clock: Clock;
  /** The responses of the other banks; by default, they accept every payment after two seconds. */
  scheme?: Scheme;
  /** The outcomes that payments ask for; by default, none does. */
  provoked?: Provoked;
  /** What goes wrong with the second factor of a login; by default, nothing. */
  mishapOf?: (login: string) => FactorMishap | undefined;
  /** The bank's app; by default, nobody uses it. */
  app?: SandboxApp;
  /** The pages for which passkeys sign; by default, customers cannot have any. */
  party?: RelyingParty | null;
  /** Payees at other banks whose names are known; all other names are taken to match. */
  payees?: readonly KnownPayee[];
  /** How the bank decides on consents and orders; by default, it is not asked. */
  assessments?: Pick<Bank, "assess" | "assessOrder">;
  /** The name on statements. */
  bankName?: string;
  /** Whether the bank quotes guaranteed rates for a pair; by default, it does for all pairs. */
  hasFirmRates?: (pair: CurrencyPair) => boolean;
};

/** A core whose challenges' codes the sandbox can show, and whose app it plays. */
export type SandboxBank = Bank &
  Pick<ChallengeCalls, "codeOf" | "answerInApp"> & {
    /** Null if its customers cannot have any. */
    passkeys: Passkeys | null;
  };

const unusedApp: SandboxApp = { isUsedBy: () => false, urlOf: () => "" };

/**
 * Creates the sandbox bank: customers, accounts and payments on the database's double-entry ledger.
 * The other banks are simulated, behind Faster Payments, SEPA and SWIFT.
 */
export function createSandboxBank({
  database,
  clock,
  scheme = acceptingScheme,
  provoked = () => null,
  hasFirmRates = () => true,
  mishapOf = () => undefined,
  app = unusedApp,
  party = null,
  payees = [],
  assessments = {},
  bankName = "Aldgate Bank",
}: SandboxBankOptions): SandboxBank {
  const accounts = createAccountCalls(database);
  const passkeys = party && createPasskeyChecks(database, clock, party);
  return {
    ...createCustomerCalls(database, passkeys),
    ...createChallengeCalls(database, clock, { mishapOf, app, passkeys }),
    passkeys: party && createPasskeys(database, clock, { party, bankName }),
    ...accounts,
    ...createPayeeCalls(accounts.findAccount, payees),
    ...createExchangeCalls(database, clock, hasFirmRates),
    ...createBeneficiaryCalls(database, clock),
    ...createMandateCalls(database, clock),
    ...createPaymentCalls(database, clock, { scheme, provoked }),
    ...createPaymentList(database),
    ...createStatementDocuments(database, bankName),
    ...assessments,
    chargesOf: sandboxCharges,
  };
}

type CustomerCalls = Pick<Bank, "authenticate" | "loadCustomer" | "close">;

/** Creates the bank's calls about customers. `close` ends the thread that hashes passwords. */
function createCustomerCalls(database: Database, keys: PasskeyChecks | null): CustomerCalls {
  const passwords = createPasswordCheck();
  return {
    async authenticate(login, password) {
      const row = await first<BankCustomer & { hash: string; passkeys: Credential[] }>(
        database,
        sql`select customer_id as "customerId", login, name, password_hash as hash,
            (${credentialsJson(sql`c.customer_id`)}) as passkeys
          from customer c where login = ${login}`,
      );
      const isRight = await passwords.isPassword(password, row?.hash ?? null);
      if (!row || !isRight) return null;
      keys?.know(row.customerId, row.passkeys);
      return { customerId: row.customerId, login: row.login, name: row.name };
    },

    async loadCustomer(customerId) {
      const row = await first<BankCustomer>(
        database,
        sql`select customer_id as "customerId", login, name from customer
          where customer_id = ${customerId}`,
      );
      return row ?? null;
    },

    close: passwords.close,
  };
}

const perPage = 500;

/** Creates the bank's list of the payments that it has received. */
const createPaymentList = (database: Database): Required<Pick<Bank, "listPayments">> => ({
  async listPayments(since, after) {
    const rows = await database.query<ReceivedRow>(sql`
      select payment_id as "paymentId", debtor_account_id as "debtorAccountId",
        amount_minor as "amountMinor", currency, created_at as "receivedAt"
      from bank_payment where payment_id > ${after ?? ""} and created_at >= ${since}
      order by payment_id limit ${perPage}`);
    return rows.map(({ amountMinor, currency, ...row }) => ({
      ...row,
      amount: { amountMinor, currency },
    }));
  },
});

type ReceivedRow = Omit<ReceivedPayment, "amount"> & { amountMinor: bigint; currency: string };
