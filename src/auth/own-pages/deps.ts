import type { SandboxHints } from "#src/auth/journey/journey-step.ts";
import type { BankLogin } from "#src/auth/login/bank-login.ts";
import type { Devices } from "#src/auth/login/browser.ts";
import type { Login } from "#src/auth/login/methods/login.ts";
import type { Passkeys } from "#src/bank/passkeys.ts";
import type { Bank } from "#src/bank/port.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { Database } from "#src/storage/database.ts";

/** The dependencies of the bank's own pages. */
export type OwnPagesDeps = {
  database: Database;
  bank: Bank;
  /** The payment kinds that the bank offers. */
  kinds: readonly PaymentKind[];
  config: PaymentConfig;
  clock: Clock;
  login: Login;
  devices: Devices;
  /** The bank's own login, if customers log in and confirm there. */
  bankLogin: BankLogin | null;
  log: { warn(details: object, text: string): void };
  /** COOKIE_SECRET. */
  cookieSecret: string;
  /** The base URL of these pages, as browsers see it. */
  publicUrl: string;
  bankName: string;
  /** The bank's website, to which a customer goes who does not log in; null if it is not set. */
  homeUrl: string | null;
  /** The kinds of the consents that are shown as connections, which customers can stop. */
  accessKinds: readonly ConsentKind[];
  /** Tells the engine that a payment has fallen due. */
  wakeEngine(): void;
  /** The data that only a sandbox shows; null in production. */
  sandbox: SandboxHints | null;
  /** The passkeys of customers that the sandbox bank keeps; null elsewhere. */
  passkeys: Passkeys | null;
};
