import type { Config } from "#src/config/config.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import type { HeadlessAnswer, HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
import type { Tokens } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Identified } from "./identified.ts";
import type { TestTpp } from "./test-tpp.ts";

/** How `openBank` opens a bank. Everything has a default. */
export type BankOptions = {
  /**
   * The bank's time when it opens, in the past or in the future: a date-time with an offset, such
   * as `2026-11-24T09:00Z`. The customers' history ends on that day. The default is now.
   */
  clock?: string | Temporal.Instant;
  /** How fast the clock runs: 1 (the default) as the machine's, 0 not at all. */
  rate?: number;
  /** Settings of the bank (docs/configuration.md), such as `{ REAUTHENTICATION_DAYS: 90 }`. */
  settings?: Partial<Config>;
  /** The folder that keeps what banks are copied from. The default is the user's for caches. */
  cache?: string;
};

/** The clock of a bank. It never goes back. */
export type BankClock = {
  /** The bank's time. */
  now(): Temporal.Instant;
  /**
   * Sets the clock forward by an ISO 8601 duration (`P1M`, `PT2H`) or to a time. On its way, the
   * bank does in order everything that falls due: payments, collections, statements, expiries.
   */
  advance(by: string | Temporal.Duration | Temporal.Instant): Promise<void>;
  /** 0 stops the clock, 1 lets it run as the machine's, 60 a minute per second. */
  setRate(rate: number): Promise<void>;
};

/** An order that has its end. */
export type SettledOrder = {
  orderId: string;
  /** In ISO 20022: `ACCC`, `ACWP`, `RJCT`, `BLCK`, `CANC`, `INCO` or `INFA`. */
  status: string;
  /** Why it was rejected; empty otherwise. */
  reasons: { code: string; text: string }[];
};

/** A whole bank for tests, open on free ports of this machine, with customers and their history. */
export type TestBank = {
  /** The base URL for browsers, and the issuer: authorization server, pages, `/sandbox/v1`. */
  publicUrl: string;
  /** The base URL for TPPs: token endpoint and APIs, over mutual TLS. */
  mtlsUrl: string;
  /** The root of the bank's own certificate, as PEM text. */
  caPem: string;
  clock: BankClock;
  /**
   * Registers a TPP and returns it with its keys. By default it has every role, `private_key_jwt`
   * and FAPI 1.0 Advanced.
   */
  tpp(request?: Partial<TppRequest>): Promise<TestTpp>;
  /** The customers with their logins, passwords and accounts. */
  customers(): Promise<SandboxCustomer[]>;
  /**
   * Lets a customer approve a consent of a TPP that `tpp()` has returned: logs in, confirms with
   * the second factor, chooses accounts (by default all that can be chosen, or the first if only
   * one can), and exchanges the code. Returns the TPP's tokens.
   */
  approve(consent: Identified, customer: string, choice?: { accounts?: string[] }): Promise<Tokens>;
  /**
   * Lets a customer follow an authorization URL that your own program has made. `redirectUrl` is
   * the URL to which the bank sends the customer back, with a code or, if the customer refuses, an
   * error. If the journey failed and the clock was set forward meanwhile, `note` says so.
   */
  decide(request: HeadlessRequest): Promise<HeadlessAnswer>;
  /**
   * Waits until an order has its end: settled, rejected, cancelled, or complete. It sets the clock
   * forward by up to a minute, until the creditor's bank has answered. Throws if the order waits
   * for something else, such as a later day or another signature.
   */
  settled(order: Identified): Promise<SettledOrder>;
  /** Calls the sandbox's own interface below `/sandbox/v1` (docs/sandbox.md). */
  control<Body = unknown>(method: string, path: string, body?: object): Promise<Body>;
  /** Closes the bank and deletes everything that belongs to it. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
