import type { KnownRefusal } from "#src/account-store/refusals.ts";
import type { ConsentChannel } from "#src/channels/consent-channel.ts";
import type { EventReceiver, ResendRequest, ShownEvent } from "#src/events/stored-events.ts";
import type { MultiAuthorisationResult } from "#src/payments/execution/multi-authorisation.ts";
import type { StuckPayment } from "#src/payments/execution/stuck-payments.ts";
import type { ContractOperations } from "#src/payments/limits/contract-operations.ts";
import type { ClientOperator } from "#src/registration/client-operator.ts";
import type { RegistrationRequest, Verdict } from "#src/registration/verify-registration.ts";
import type { JudgedText, Pasted } from "#src/request-log/explain/judged-text.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import type { IssuedTpp, TppCertificates } from "#src/sandbox/directory/issued-tpp.ts";
import type { SoftwareRegister } from "#src/sandbox/directory/software-register.ts";
import type { CustomerDocument } from "#src/sandbox/own-data/document.ts";
import type { ImportOptions } from "#src/sandbox/own-data/import-customer.ts";
import type { HeadlessAnswer, HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
import type { SandboxClock, TimeBound } from "#src/sandbox/time/clock.ts";
import type { KeyOperator, ShownKey } from "#src/signing/key-store.ts";
import type { Acts } from "./act-rows.ts";
import type { AppControls } from "./approval-shapes.ts";
import type { CustomerActs } from "./customer-act-shapes.ts";
import type { ContractAnswer, ContractRequest } from "./exchange-contracts.ts";
import type { Explorer } from "./explorer.ts";
import type { ShownNotices } from "./notice-shape.ts";
import type { ShownOutcome } from "./outcome-shape.ts";
import type { RobustControls } from "./robust-shapes.ts";
import type { WorldControls } from "./world-shapes.ts";

/** A persona with its accounts, for callers that log in as the persona. */
export type SandboxCustomer = {
  /** The core's id, by which the bank's own programs name the customer. */
  customerId: string;
  login: string;
  password: string;
  name: string;
  description: string;
  accounts: {
    accountId: string;
    accountSubType: string;
    nickname: string | null;
    schemeName: string;
    identification: string;
    currency: string;
    /** Null if the bank's own core does not say it. */
    balance: string | null;
    signatoriesRequired: number;
    status: "Enabled" | "Disabled" | "Deleted";
  }[];
};

/** An open challenge of a persona, with its code. */
type SandboxChallenge = {
  challengeId: string;
  subject: object;
  /** Null if only the bank's core knows the code. */
  code: string | null;
  expiresAt: string;
};

/** The operations on customers that developers bring. */
type CustomerControls = {
  /** Throws CustomerRefused. */
  create(document: CustomerDocument, options?: ImportOptions): Promise<SandboxCustomer>;
  export(login: string): Promise<CustomerDocument>;
  /** Ends everything that depends on a customer, and closes the accounts. */
  delete(login: string): Promise<void>;
};

/** The sandbox's functions: its routes and the command line call the same ones. */
export type SandboxControls = {
  clock: SandboxClock;
  engine: TimeBound;
  createTpp(request: TppRequest): Promise<IssuedTpp>;
  /** Loads a TPP with its newest certificates. Returns null if the id is unknown. */
  loadTpp(clientId: string): Promise<TppCertificates | null>;
  /** Revokes a TPP's newest certificate and issues another; null if the id is unknown. */
  revokeCertificate(clientId: string, use: "client" | "signing"): Promise<TppCertificates | null>;
  authorise(request: HeadlessRequest): Promise<HeadlessAnswer>;
  listCustomers(): Promise<SandboxCustomer[]>;
  customers: CustomerControls;
  customerActs: CustomerActs;
  /** The bank's app, in which customers approve without a code. */
  app: AppControls;
  /** Lists the customer's open challenges, newest first. */
  listChallenges(login: string): Promise<SandboxChallenge[]>;
  /**
   * Signs as `customer`, or, if that is null, as the next signatory who has not signed. Returns
   * null if nobody is left to sign.
   */
  sign(
    orderId: string,
    decision: "approve" | "reject",
    customer?: string,
  ): Promise<MultiAuthorisationResult | null>;
  /** Creates an exchange contract for payments from an account. */
  agreeContract(request: ContractRequest): Promise<ContractAnswer>;
  /** The events of TPPs, as operators see them. */
  events: {
    listReceivers(): Promise<EventReceiver[]>;
    list(clientId: string): Promise<ShownEvent[]>;
    /** Returns how many are sent again, or null if the TPP is not registered for events. */
    resend(clientId: string, request: ResendRequest): Promise<number | null>;
  };
  /** The TPPs' contracts for variable recurring payments, and the payments under them. */
  contracts: ContractOperations;
  /** The consents of customers, as the bank's own channels use them. */
  consents: ConsentChannel;
  /** The acts on one order, consent, account or customer. */
  acts: Acts;
  /** The sandbox's directory, as TPPs use it before they register. */
  register: SoftwareRegister;
  /** The registered clients, as the bank's operators see them. */
  clients: ClientOperator;
  /** The bank's signing keys. Adding one without a location generates it. */
  signingKeys: Pick<KeyOperator, "list" | "rotate" | "retire" | "withdraw"> & {
    add(location: string | undefined): Promise<ShownKey>;
  };
  /** Checks a registration request without registering anything. */
  lint(request: RegistrationRequest): Promise<Pick<Verdict, "faults">>;
  /** Acts for a reader of the documentation. */
  explorer: Explorer;
  /** The log of the TPPs' requests; null if it is switched off. */
  requests: LogReader | null;
  /** Judges a message, a JWT or a certificate that nobody has sent. */
  judge(pasted: Pasted): Promise<JudgedText>;
  /** Lists the outcomes of payments that a TPP can ask for. */
  listOutcomes(): ShownOutcome[];
  /** What is played on clients. */
  robust: RobustControls;
  /** Lists the payments that do not proceed. */
  listStuckPayments(): Promise<StuckPayment[]>;
  listRefusedFacts(): Promise<KnownRefusal[]>;
  /** The notices that the core has not been told. */
  notices: {
    list(): Promise<ShownNotices>;
    /** Returns false if no such notice waits. */
    skip(noticeId: string, why: { actor: string; reason: string }): Promise<boolean>;
  };
  /** The worlds that are opened beside this bank; null if this bank opens none. */
  worlds: WorldControls | null;
  /** Lists the breaches of the bank's invariants, one per line; empty if there are none. */
  verify(): Promise<string[]>;
};
