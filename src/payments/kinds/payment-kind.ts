import type { AccountReference, Bank, BankAccount, InternationalTerms } from "#src/bank/port.ts";
import type { Consent, StatusReason } from "#src/consents/consent.ts";
import type { ConsentCourse } from "#src/consents/states.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import type { Operation } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import type { Money } from "#src/lib/money.ts";
import type { ConsentNoun, PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import type { FileFormat } from "#src/payments/files/file-format.ts";
import { bodyOn, type Format } from "#src/payments/formats/format.ts";
import type { OrderFamily } from "#src/payments/order/order-states.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { Check, KindRules } from "#src/payments/request/checks.ts";
import type { PaymentRequest, RequestedLimits } from "#src/payments/request/payment-request.ts";
import type { Occurrence, Schedule } from "#src/payments/schedule/schedule.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { EventName } from "#src/standard/shared/events/event-types.ts";
import type { Database } from "#src/storage/database.ts";

// What a kind of payment is: a row of data, the same in every API version. The folders in
// payments/versions/ say how each kind looks in a version, and payment-kinds.ts puts both together.
// The bank's routes, checks, pages and documents are made from that, and the engine executes any
// kind.

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
  kind: PaymentRow;
  /** The request, which has passed every check. */
  request: PaymentRequest;
  /** The bank's additions to the consent. */
  terms: ConsentTerms;
  /** When the order is submitted, or would be. */
  now: Temporal.Instant;
  config: PaymentConfig;
};

/** What a kind is in every version: one row of data. */
export type PaymentRow = RowMembers & (UsedOnce | UsedWithinLimits);

/** A payment kind that a bank offers: its row, and its format in each version that has it. */
export type PaymentKind = PaymentRow & {
  formats: Formats;
  /** The file formats that the bank accepts, if its payments are in files. */
  fileFormats?: readonly FileFormat<PaymentRow>[];
};

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
type RowMembers = KindRules & {
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
};

/** How orders behave: what differs between one payment, a schedule, many payments and a file. */
export type OrderShape<Use extends OrderUse = OrderUse> = {
  /** How often an order of this shape may use its consent: the consents of a kind say the same. */
  use: Use;
  /** What customers call the consent. */
  noun: "payment" | ConsentNoun;
  /** The payments that an order starts with, in order; none if they are in a file. */
  payments(plan: OrderPlan): PaymentDraft[];
  /** The schedule from which the engine plans each payment. */
  schedule?(plan: OrderPlan): Schedule;
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

/** The formats of a kind, by API version. */
export type Formats = Readonly<Partial<Record<ApiVersionId, Format>>>;

/** A payment kind together with its format in one API version. */
export type ServedKind<Kind extends PaymentKind = PaymentKind> = Kind & { format: Format };

/** Returns a kind once for each API version that serves it. */
export const servedKinds = <Kind extends PaymentKind>(kind: Kind): ServedKind<Kind>[] =>
  Object.values(kind.formats).map((format) => ({ ...kind, format }));

/** Returns the format of a kind in a version. Throws if the version does not serve the kind. */
export const formatIn = ({ id, formats }: PaymentKind, version: ApiVersionId): Format =>
  present(formats[version], `${id} in ${version}`);

/**
 * Returns the format that reads stored bodies of a version: that of the version, or, if the bank no
 * longer has it, of a later one that can translate them.
 */
export const readingFormat = ({ id, formats }: PaymentKind, version: ApiVersionId): Format =>
  present(
    formats[version] ?? Object.values(formats).find(({ earlier }) => earlier?.[version]),
    `a version that reads ${id} of ${version}`,
  );

// the page of one step asks for the request of its consent several times
const read = new WeakMap<object, { format: Format; request: PaymentRequest }>();

/** Reads the request in a stored consent, which passed its schema and all checks on arrival. */
export function requestOf(
  kind: PaymentKind,
  stored: Pick<Consent, "apiVersion" | "body">,
): PaymentRequest {
  const format = readingFormat(kind, stored.apiVersion);
  const known = read.get(stored.body);
  if (known?.format === format) return known.request;
  const request = format.read(bodyOn(format, stored));
  read.set(stored.body, { format, request });
  return request;
}

/** Declares a payment kind. */
export const definePaymentKind = <Row extends PaymentRow>(row: Row): Readonly<Row> =>
  Object.freeze(row);
