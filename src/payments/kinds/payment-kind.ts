import type { AccountReference, InternationalTerms } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import type { ConsentCourse } from "#src/consents/states.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import type { Money } from "#src/lib/money.ts";
import type { PaymentSummary } from "#src/pages/consent-summary.ts";
import { executionInstant } from "#src/payments/calendar/execution-instant.ts";
import type { FileFormat } from "#src/payments/files/file-format.ts";
import type { OrderFamily } from "#src/payments/order/order-states.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { Check, KindRules } from "#src/payments/request/checks.ts";
import type {
  PaymentRequest,
  RequestedAccount,
  RequestedLimits,
} from "#src/payments/request/payment-request.ts";
import { debtorCharges } from "#src/payments/request/tariff.ts";
import type { Occurrence, Schedule } from "#src/payments/schedule/schedule.ts";
import type { DemoCreditor } from "#src/payments/wires/example.ts";
import type { Wire } from "#src/payments/wires/wire.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { EventName } from "#src/standard/shared/events/event-types.ts";

// What a kind of payment is: a row of data, with a wire per API version. The bank's routes, checks,
// pages and documents are made from the rows in this folder (payment-kinds.ts lists them), and the
// engine executes any of them.

/** One payment of an order, before it has an id. */
export type PaymentDraft = {
  /** The debit, without the charge. */
  amount: Money;
  /** The bank's charge to the debtor, in the same currency. */
  chargeMinor: bigint;
  /** When the payment is to be executed; null means immediately. */
  executeAt: Temporal.Instant | null;
  creditor: AccountReference;
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  /** For a payment of a schedule: its scheduled date, and whether it is the last one. */
  occurrence?: Pick<Occurrence, "date" | "isLast">;
  /**
   * For international payments: `amount` may be in another currency, and the charges are in here.
   */
  international?: InternationalTerms;
};

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
export type PaymentKind = KindRow & (SingleUse | SeveralUses) & (PaymentsOfOrder | PaymentsOfFile);

type SingleUse = {
  consent: ConsentCourse<"once">;
  withinLimits?: never;
  fundsConfirmation: "consent" | null;
};
type SeveralUses = {
  consent: ConsentCourse<"within limits">;
  withinLimits: WithinLimits;
  /** A consent of several orders has no single amount whose funds could be confirmed. */
  fundsConfirmation: "order" | null;
};

type PaymentsOfOrder = {
  /** The payments that an order starts with, in order; at least one. */
  payments: (plan: OrderPlan) => PaymentDraft[];
  formats?: never;
};
type PaymentsOfFile = {
  /** Null, because the payments are in a file that is uploaded for the consent. */
  payments: null;
  /** The file formats that the bank accepts. */
  formats: readonly FileFormat<PaymentKind>[];
};

/** A kind whose payments are uploaded. */
export type FileKind = PaymentKind & PaymentsOfFile;

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
  /** The schedule of a kind with recurring payments, from which the engine plans each payment. */
  schedule?(plan: OrderPlan): Schedule;
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

/** The part of a kind whose consents are used more than once, within limits. */
export type WithinLimits = {
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

/** Plans the only payment of a single-payment kind: its amount to its creditor. */
export function onePayment({ kind, request, terms, now, config }: OrderPlan): PaymentDraft[] {
  const amount = present(request.amount?.money ?? null, "a checked amount");
  return [
    {
      amount,
      chargeMinor: debtorCharges(terms, amount.currency),
      executeAt: executionInstant(kind, request, now, config),
      creditor: accountReference(present(request.creditor, "the creditor account")),
      endToEndId: request.endToEndId,
      reference: request.reference,
      localInstrument: request.localInstrument,
    },
  ];
}

/** Converts a checked account into the format of the bank's port. */
export const accountReference = (account: RequestedAccount): AccountReference => ({
  schemeName: present(account.schemeName, "the scheme of a checked account"),
  identification: present(account.identification, "the identification of a checked account"),
  name: account.name,
  secondaryIdentification: account.secondaryIdentification,
});
