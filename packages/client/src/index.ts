import { Accounts } from "./accounts.ts";
import type { LoginOptions } from "./authorization-server.ts";
import { Backchannel } from "./backchannel.ts";
import { Events } from "./events.ts";
import { Funds } from "./funds.ts";
import type { ConnectOptions, Grant, Login } from "./options.ts";
import { type PaymentKind, Payments } from "./payments.ts";
import { Registration } from "./registration.ts";
import type { Scope } from "./scope.ts";
import { Session } from "./session.ts";
import type { Versions } from "./versions.ts";

export type { BackchannelOptions } from "./backchannel-request.ts";
export type { Consent } from "./consents.ts";
export type { Deviations } from "./deviations.ts";
export {
  AuthorisationError,
  BankError,
  type BankFault,
  NoAnswerError,
  VerificationError,
} from "./errors.ts";
export type { BankEvent } from "./event.ts";
export type {
  BackchannelRequest,
  CallOptions,
  Client,
  ConnectOptions,
  Grant,
  Login,
} from "./options.ts";
export type { JsonPatch, PaymentKind, WaitOptions } from "./payments.ts";
export { type Profile, type ProfileName, profiles } from "./profiles.ts";
export { type RegistrationRequest, register } from "./registration.ts";
export type { Scope } from "./scope.ts";
export type { Bodies, Version, Versions } from "./versions.ts";

/** A bank, as your client sees it. */
export class Bank<V extends Partial<Versions> = Partial<Versions>> {
  /** Account information. */
  readonly accounts: Accounts<V>;
  /** Approvals in the bank's app, without a browser. */
  readonly backchannel: Backchannel;
  /** Confirmation of funds. */
  readonly funds: Funds<V>;
  /** Your registration at the bank. */
  readonly registration: Registration;
  readonly #session: Session;

  /** Use `connect`. */
  constructor(session: Session) {
    this.#session = session;
    this.accounts = new Accounts(session);
    this.backchannel = new Backchannel(session);
    this.funds = new Funds(session);
    this.registration = new Registration(session);
  }

  /** The payments of a kind, such as `domestic-payment` or `domestic-vrp`. */
  payments<Kind extends PaymentKind>(kind: Kind): Payments<V, Kind> {
    return new Payments(this.#session, kind);
  }

  /** Event notifications, with your own token for a scope that you have. */
  events(scope: Scope = "accounts"): Events<V> {
    return new Events(this.#session, scope);
  }

  /** Makes the request for a customer's approval. Send the browser to `url` and keep the rest. */
  authorise(consent: { id: string; scope: Scope }, options?: LoginOptions): Promise<Login> {
    return this.#session.server.startLogin(consent, options);
  }

  /**
   * Ends the request with the URL to which the browser came back, and returns the customer's grant.
   * Throws AuthorisationError if the customer did not approve.
   */
  finish(login: Login, returnedUrl: string | URL): Promise<Grant> {
    return this.#session.server.finishLogin(login, returnedUrl);
  }

  /** Renews the tokens in a grant now. Calls do so by themselves when a token has expired. */
  refresh(grant: Grant): Promise<void> {
    return this.#session.server.refresh(grant);
  }

  /** Closes the connections. */
  close(): void {
    this.#session.close();
  }
}

/** Connects to a bank: reads its discovery document and your keys. */
export async function connect<const V extends Partial<Versions> = Record<never, never>>(
  options: ConnectOptions<V>,
): Promise<Bank<V>> {
  return new Bank<V>(await Session.open(options));
}
