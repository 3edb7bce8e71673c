import type { Bank, BankAccount } from "#src/bank/port.ts";
import type { Consent, StatusReason } from "#src/consents/consent.ts";
import type { ConsentCourse } from "#src/consents/states.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import type { CodeFor } from "#src/http/api-error.ts";
import type { HandlerStep } from "#src/http/handler-steps.ts";
import type { Operation, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import type { ConsentNoun, PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import type { CreateOrder, NewOrder, Taking } from "#src/payments/order/create-order.ts";
import type { Origin } from "#src/payments/order/derived-id.ts";
import type { OrderWithConsent } from "#src/payments/order/load-order.ts";
import type { OrderFamily } from "#src/payments/order/order-states.ts";
import type { PaymentDraft } from "#src/payments/order/payment-draft.ts";
import type { OrderTerms } from "#src/payments/order/payment-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { Check, KindRules } from "#src/payments/request/checks.ts";
import type { BoundKey, KeyUse } from "#src/payments/request/idempotency-key.ts";
import type { JudgedRequest } from "#src/payments/request/match.ts";
import type { PaymentRequest, RequestedLimits } from "#src/payments/request/payment-request.ts";
import type { DemoCreditor } from "#src/payments/wires/example.ts";
import type { Wire } from "#src/payments/wires/wire.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { EventName } from "#src/standard/shared/events/event-types.ts";
import type { Database } from "#src/storage/database.ts";

// What a kind of payment is: a row of data, with a wire per API version. The bank's routes, checks,
// pages and documents are made from the rows in this folder (payment-kinds.ts lists them), and the
// engine executes any of them.

/** The inputs from which an order's payments are planned. */
export type OrderPlan = {
  kind: PaymentKind;
  /** The request, which has passed every check. */
  request: PaymentRequest;
  /** The bank's additions to the consent. */
  terms: ConsentTerms;
  /** When the order is submitted, or would be. */
  now: Temporal.Instant;
  config: PaymentConfig;
};

/** A payment kind: one row of data, from which its operations, checks and pages are compiled. */
export type PaymentKind = KindRow & (UsedOnce | UsedWithinLimits);

type UsedOnce = {
  consent: ConsentCourse<"once">;
  shape: OrderShape<"once">;
  fundsConfirmation: "consent" | null;
};
type UsedWithinLimits = {
  consent: ConsentCourse<"within limits">;
  shape: OrderShape<"within limits">;
  /** A consent of several orders has no single amount whose funds could be confirmed. */
  fundsConfirmation: "order" | null;
};

/** The members of every row. */
type KindRow = KindRules & {
  /** The kind's id in `consent.kind` and `payment_order.kind`, and the stem of its paths. */
  id: PaymentKindId;
  /** The OpenAPI tag, such as `Domestic Payments`. */
  tag: string;
  /** The name of the order's id in responses and in paths, such as `DomesticPaymentId`. */
  orderIdField: string;
  /**
   * The path parameter, for the one kind whose published name differs. Source: PISP OpenAPI file,
   * /international-standing-orders/{InternationalStandingOrderPaymentId}.
   */
  orderIdParameter?: string;
  /** The prefixes of consent and order ids: at most 13 characters. */
  consentIdPrefix: string;
  orderIdPrefix: string;
  /** The status table that its orders and their payments follow. */
  family: OrderFamily;
  /** Whether immediate payments of this kind have a cut-off time, which the settings may set. */
  hasCutOff: boolean;
  /**
   * Whether consents and orders show their expected execution and settlement times. Source:
   * OBWriteDomesticResponse5, OBWriteFileResponse3.
   */
  givesExpectedDates: boolean;
  /**
   * The amount that `funds-confirmation` confirms: that of the consent, or one that the TPP sends
   * for an order; null if the operation is not offered.
   */
  fundsConfirmation: "consent" | "order" | null;
  /**
   * The checks that are repeated when the order is submitted, besides that of the execution date.
   */
  orderChecks?: readonly Check[];
  demo: Demo;
  /** The wires: the format of its bodies in each API version. */
  wires: Wires;
};

/** How the demo runs a kind. The bodies are on the kind's wires. */
export type Demo = {
  /** The payee; absent if it is a customer of this bank. */
  creditor?: DemoCreditor;
  /** How far to set the clock forward so that the payment settles; null if it settles by itself. */
  advance: string | null;
  /**
   * For a consent within limits that two of the demo's payments use up: how far to set the clock
   * forward until it pays again.
   */
  nextPeriod?: string;
};

/** How orders behave: what differs between one payment, a schedule, many payments and a file. */
export type OrderShape<Use extends OrderUse = OrderUse> = {
  /** How often an order of this shape may use its consent: the consents of a kind say the same. */
  use: Use;
  /** What customers call the consent. */
  noun: "payment" | ConsentNoun;
  /** The payments that an order starts with, in order; none if they are in a file. */
  payments(plan: OrderPlan): PaymentDraft[];
  /** The request that an order under a consent is judged and made by. */
  requestedBy(consented: PaymentRequest, ordered: PaymentRequest): PaymentRequest;
  /** The checks of a submission, in the standard's order, after those of the request. */
  steps: readonly SubmissionStep[];
  /**
   * The checks that the statement which creates the order makes, so that concurrent orders cannot
   * pass them together. They come after all others.
   */
  storingSteps?: readonly HandlerStep<StoredSubmission>[];
  /** The codes with which these checks refuse an order, besides those of every shape. */
  refusals?: { 400: readonly CodeFor<400>[]; 403: readonly CodeFor<403>[] };
  /** What the ids of an order follow from. */
  originOf(use: ConsentToUse, deps: ShapeDeps): Origin | Promise<Origin>;
  /** Why the bank rejects an order on creation that its consent allows; null if it does not. */
  rejectionOf?(asked: PaymentRequest, config: PaymentConfig): StatusReason | null;
  /** The bank's additions to an order besides those of every shape, and when its payments start. */
  additions?(plan: OrderPlan & { kind: ServedKind; body: unknown }): Additions;
  /** Creates an order; it is not created if another request was first. */
  create(order: DraftedOrder, deps: ShapeDeps & { createOrder: CreateOrder }): Promise<Taking>;
  /** Summarises a consent for the customer. */
  summarise(plan: OrderPlan, consent: Consent): PaymentSummary;
  /** What the account adds to the summary; absent if it adds nothing. */
  price?: {
    dependsOnAccount(given: Pick<OrderPlan, "kind" | "terms">): boolean;
    rows(plan: OrderPlan, account: BankAccount, bank: Bank): Promise<SummaryRow[]>;
  };
  /** Why the payments cannot be made from an account in its currency; null if they can. */
  whyOtherCurrency(kind: PaymentKind, consent: Consent, account: BankAccount): string | null;
  /** Whether the payments and their charges are known only when their file is uploaded. */
  isPricedOnUpload?: true;
  /** Whether a TPP sees the account that the customer has chosen. */
  showsDebtor?: true;
  /** Whether only accounts that need one signatory can be used. */
  hasOneSignatory?: true;
  /** Why a consent cannot be authorised now, by its terms; null if it can. */
  whyNotNow?(terms: ConsentTerms): StatusReason | null;
  /** The shape's own operations on consents, and on orders. */
  consentOperations?(kind: ServedKind, deps: ShapeDeps): Operation[];
  orderOperations?(kind: ServedKind, deps: ShapeDeps): Operation[];
  /** What concerns a consent that stays in use: its page in the bank's own pages, its events. */
  permission?: Permission;
};

type OrderUse = "once" | "within limits";

/** The parts of the bank that shapes use. */
export type ShapeDeps = {
  database: Database;
  bank: Bank;
  config: PaymentConfig;
};

/** A submission to check. */
export type JudgedSubmission = JudgedRequest & {
  kind: ServedKind;
  config: PaymentConfig;
  request: OperationRequest;
  /** The order as the wire reads it from the body. */
  ordered: PaymentRequest;
  /** The consent that the body names; null if there is none. */
  consent: Consent | null;
  /** The earlier use of the idempotency key, and its order; null if this is the first use. */
  earlier: { bound: BoundKey; order: OrderWithConsent } | null;
};

/** A submission whose consent exists. */
export type FoundSubmission = JudgedSubmission & { consent: Consent };

/** A check of a submission. The step `consent` comes before every step that reads the consent. */
export type SubmissionStep = HandlerStep<FoundSubmission> & {
  /** Whether a kind needs the check. The default is that every kind needs it. */
  appliesTo?: (kind: ServedKind) => boolean;
};

/** An order that the storing statement has created, or that it has refused to create. */
export type StoredSubmission = Taking & {
  kind: ServedKind;
  /** The request of the order, with the limits of its consent. */
  asked: PaymentRequest;
};

/** The use of a consent by a request, which has passed all checks. */
export type ConsentToUse = {
  kind: ServedKind;
  consent: Consent;
  use: KeyUse;
  /** Whether an attempt to create the order has failed already. */
  isRepeated: boolean;
};

/** What a shape adds to an order. */
export type Additions = {
  terms: Partial<OrderTerms>;
  /** When the first payment starts: signatures that are missing then come too late. */
  startsAt?: Temporal.Instant;
};

/** An order that is ready to be created. */
export type DraftedOrder = NewOrder & {
  kind: ServedKind;
  consent: Consent;
  asked: PaymentRequest;
  order: OrderWithConsent;
};

/** Declares a shape. */
export const defineOrderShape = <Use extends OrderUse>(shape: OrderShape<Use>): OrderShape<Use> =>
  Object.freeze(shape);

/** What a kind says about consents that are used more than once. */
export type Permission = {
  /** The type of event for an account of the consent that is closed, blocked or opened again. */
  accountEvent?: EventName;
  /** A second type for the event that the consent was withdrawn at the bank. */
  accessEvent?: EventName;
  /**
   * Returns the consent's texts for the customer: the limit for one payment and the limits per
   * period, which depend on the time of the consent's creation.
   */
  words(
    limits: RequestedLimits,
    given: Pick<Consent, "createdAt" | "terms">,
  ): Pick<PaymentSummary, "amount" | "rows">;
};

/** The wires of a kind, by API version. */
export type Wires = Readonly<Partial<Record<ApiVersionId, Wire>>>;

/** A payment kind together with its wire in one API version. */
export type ServedKind<Kind extends PaymentKind = PaymentKind> = Kind & { wire: Wire };

/** Returns a kind once for each API version that serves it. */
export const servedKinds = (kind: PaymentKind): ServedKind[] =>
  Object.values(kind.wires).map((wire) => ({ ...kind, wire }));

/** Returns the wire of a kind in a version. Throws if the version does not serve the kind. */
export const wireOf = ({ id, wires }: PaymentKind, version: ApiVersionId): Wire =>
  present(wires[version], `${id} in ${version}`);

// the page of one step asks for the request of its consent several times
const read = new WeakMap<object, { wire: Wire; request: PaymentRequest }>();

/** Reads the request in a stored consent, which passed its schema and all checks on arrival. */
export function requestOf(
  kind: PaymentKind,
  { apiVersion, body }: Pick<Consent, "apiVersion" | "body">,
): PaymentRequest {
  const wire = wireOf(kind, apiVersion);
  const known = read.get(body);
  if (known?.wire === wire) return known.request;
  const request = wire.read(body);
  read.set(body, { wire, request });
  return request;
}

/** Declares a payment kind. */
export const definePaymentKind = <Row extends PaymentKind>(row: Row): Readonly<Row> =>
  Object.freeze(row);
