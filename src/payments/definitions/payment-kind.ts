import type { Bank, BankAccount, BankCharge } from "#src/bank/port.ts";
import { type Consent, loadConsent, type StatusReason } from "#src/consents/consent.ts";
import type { GrantDeletions } from "#src/consents/delete-consent.ts";
import type { ConsentCourse } from "#src/consents/states.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import { type Access, type AccessSql, notYours, onOtherVersion } from "#src/http/access/access.ts";
import type { CodeFor } from "#src/http/api-error.ts";
import type { Operation, OperationRequest } from "#src/http/operation.ts";
import type { Checks } from "#src/http/steps.ts";
import { present } from "#src/lib/assert.ts";
import type {
  ConsentNoun,
  PaymentNoun,
  PaymentSummary,
  SummaryRow,
} from "#src/pages/consent-summary.ts";
import type { FileFormat } from "#src/payments/formats/file-format.ts";
import { bodyOn, type Doing, type Format, isServed } from "#src/payments/formats/format.ts";
import type { PispOperation } from "#src/payments/formats/pisp-operation.ts";
import type { CreateOrder, NewOrder, Taking } from "#src/payments/order/create-order.ts";
import type { OrderFamily } from "#src/payments/order/order-states.ts";
import type { OrderUse } from "#src/payments/order/order-use.ts";
import type {
  OrderTerms,
  OrderWithConsent,
  Origin,
  PaymentDraft,
  PaymentOrder,
} from "#src/payments/order/payment-order.ts";
import type { PlacedOrder } from "#src/payments/order/placed-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { Check, CheckedRequest, KindRules } from "#src/payments/request/checks.ts";
import type { BoundKey, KeyUse } from "#src/payments/request/idempotency-key.ts";
import type { JudgedRequest } from "#src/payments/request/match.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { paramOf, unknownId } from "#src/payments/request/refusals.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { EventName } from "#src/standard/shared/events/event-types.ts";
import type { Database } from "#src/storage/database.ts";
import type { Invariant } from "#src/storage/invariants.ts";

// What a kind of payment is: a row of data, the same in every API version. The folders in
// payments/versions/ say how each kind looks in a version, and payment-kinds.ts puts both together.
// The bank's routes, checks, pages and documents are made from that, and the engine executes any
// kind.

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
  /** Whether others must approve it before it is made, as far as that is known. */
  isShared?: boolean;
  /** The order itself, if it exists and its first payment has not been made. */
  placed?: PlacedOrder;
  /** When a signatory sees the order; absent if that is `now`. */
  shownAt?: Temporal.Instant;
};

/** What a kind is in every version: one row of data. */
export type PaymentRow = RowMembers & (UsedOnce | UsedWithinLimits);

/** A payment kind that a bank offers: its row, and its format in each version that has it. */
export type PaymentKind = PaymentRow & {
  formats: Formats;
  /** The file formats that the bank accepts, if its payments are in files. */
  fileFormats?: readonly FileFormat<PaymentRow>[];
};

type UsedOnce = { consent: ConsentCourse<"once">; shape: OrderShape<"once"> };
type UsedWithinLimits = {
  consent: ConsentCourse<"within limits">;
  shape: OrderShape<"within limits">;
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
   * Whether a TPP may ask if the funds are available: for the amount of the consent or, within
   * limits, for one that the TPP sends.
   */
  confirmsFunds: boolean;
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
  /** The request by which an order under a consent is checked and executed. */
  requestedBy(consented: PaymentRequest, ordered: PaymentRequest): PaymentRequest;
  /** The checks of a submission, in the standard's order, after those of the request. */
  steps: ShapeSteps;
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
  /** Summarises for the customer a consent, or an order that waits. */
  summarise(plan: OrderPlan, consent: Pick<Consent, "createdAt" | "terms">): PaymentSummary;
  /** How the customer's lists show an order that awaits signatures or its day. */
  listed(order: PlacedOrder, config: PaymentConfig): ListedOrder;
  /** What the account adds to the summary; absent if it adds nothing. */
  price?: {
    dependsOnAccount(given: Pick<OrderPlan, "kind" | "terms">): boolean;
    rows(plan: OrderPlan, account: BankAccount, bank: Bank): Promise<SummaryRow[]>;
  };
  /** Why the payments cannot be made from an account in its currency; null if they can. */
  whyOtherCurrency(kind: PaymentKind, consent: Consent, account: BankAccount): string | null;
  /** What the id of a payment follows from, if the payments are the lines of a file. */
  lineOrigin?(consentId: string, line: number): Origin;
  /** The bank's charges for an order that a consent asks for. */
  chargesOf(bank: Bank, kindId: PaymentKindId, asked: PaymentRequest): BankCharge[];
  /** Loads what the checks of a new consent need besides its request. */
  loadFacts?(asked: PaymentRequest, access: Access, deps: ShapeDeps): Promise<ConsentFacts>;
  /** The bank's additions to a new consent that has passed its checks. */
  additionsToConsent?(
    given: ConsentFacts & Pick<CheckedRequest, "request" | "now">,
  ): Pick<Consent, "expiresAt" | "terms">;
  /** Whether a TPP sees the account that the customer has chosen. */
  showsDebtor?: true;
  /** Whether only accounts that need one signatory can be used. */
  hasOneSignatory?: true;
  /** Why a consent cannot be authorised now, by its terms; null if it can. */
  whyNotNow?(terms: ConsentTerms): StatusReason | null;
  /** The shape's own operations on consents, and on orders. */
  consentOperations?(kind: ServedKind, deps: ShapeDeps, operation: PispOperation): Operation[];
  orderOperations?(kind: ServedKind, deps: ShapeDeps): Operation[];
  /** The invariants of its orders and of their consents, for `./aldgate verify`. */
  invariants?: { orders?: readonly Invariant[]; consents?: readonly Invariant[] };
  /** The types of its own events about consents. */
  ownEvents?: {
    /** An account of the consent was closed, blocked or opened again. */
    account?: EventName;
    /** A second type for the event that the consent was withdrawn at the bank. */
    access?: EventName;
  };
};

/** An order in a list of its customer. */
export type ListedOrder = {
  amount: string;
  /** The amount that a standing order repeats, and how often; absent for other orders. */
  rule?: string;
  payee: string;
  /** Absent for a single payment. */
  noun?: PaymentNoun;
  /** Its description in the list and on its page, besides the amount and the payee. */
  lines(day: string): string[];
  rows(day: string): SummaryRow[];
};

/** The parts of the bank that shapes use. */
export type ShapeDeps = {
  grantDeletions: GrantDeletions;
  database: Database;
  bank: Bank;
  config: PaymentConfig;
};

/** The dependencies of the payment operations. */
export type PaymentDeps = ShapeDeps & {
  /** The kinds that the bank offers. */
  kinds: readonly PaymentKind[];
  /** The SQL of a token's row. */
  accessRow: AccessSql;
  /** Tells the engine that an order waits. */
  wake(): void;
};

/** The facts about a TPP by which a shape checks a new consent. */
export type ConsentFacts = Pick<CheckedRequest, "contracts" | "schemeStatus">;

/** A submission to check. */
export type JudgedSubmission = JudgedRequest & {
  kind: ServedKind;
  config: PaymentConfig;
  request: OperationRequest;
  /** The order as the format reads it from the body. */
  ordered: PaymentRequest;
  /** The consent that the body names; null if there is none. */
  consent: Consent | null;
  /** The earlier use of the idempotency key, and its order; null if this is the first use. */
  earlier: { bound: BoundKey; order: OrderWithConsent } | null;
};

/** A submission whose consent exists. */
export type FoundSubmission = JudgedSubmission & { consent: Consent };

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

/** The checks of a shape's submissions. */
type ShapeSteps = {
  /** Those that a repeated request passes too. */
  replay: Checks<JudgedSubmission, JudgedSubmission, ServedKind>;
  /** The further ones of a new order. */
  order: Checks<JudgedSubmission, FoundSubmission, ServedKind>;
  /**
   * Those that the statement which creates the order makes, so that concurrent orders cannot pass
   * them together. They come after all others.
   */
  storing?: Checks<StoredSubmission, StoredSubmission, ServedKind>;
};

/** What a shape adds to an order. */
type Additions = {
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
  /** Nothing is paid before then; absent if the bank's core has not said so. */
  notBefore?: Temporal.Instant;
};

/** Declares a shape. */
export const defineOrderShape = <Use extends OrderUse>(shape: OrderShape<Use>): OrderShape<Use> =>
  Object.freeze(shape);

/** The formats of a kind, by API version. */
type Formats = Readonly<Partial<Record<ApiVersionId, Format>>>;

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

/** The inputs for planning an order under a consent now. */
export const planOf = (
  kind: PaymentKind,
  consent: Pick<Consent, "apiVersion" | "body" | "terms">,
  now: Temporal.Instant,
  config: PaymentConfig,
): OrderPlan => ({ kind, request: requestOf(kind, consent), terms: consent.terms, now, config });

/** Declares a payment kind. */
export const definePaymentKind = <Row extends PaymentRow>(row: Row): Readonly<Row> =>
  Object.freeze(row);

/** What decides whether a TPP may use a consent or an order through an operation. */
type OwnedResource = { kind: string; apiVersion: ApiVersionId; clientId: string };

/**
 * Returns the resource if it is of this kind and of the calling TPP, and if this version serves it.
 * Throws otherwise; `path` is the place of its id in the request. Source: P-101…P-103, P-175,
 * P-176.
 */
function ownResource<Found extends OwnedResource>(
  kind: ServedKind,
  found: Found | undefined,
  request: OperationRequest,
  path: string,
  doing: Doing = "reads",
): Found {
  const served = servedResource(kind, found, request, path, doing);
  if (served.clientId !== request.access.clientId) throw notYours(path);
  return served;
}

/**
 * Returns the resource if it is of this kind and this version serves it, whoever owns it. Throws
 * otherwise; only its owner learns which version has it. Source: P-028, P-160, P-163.
 */
export function servedResource<Found extends OwnedResource>(
  kind: ServedKind,
  found: Found | null | undefined,
  request: OperationRequest,
  path: string,
  doing: Doing = "reads",
): Found {
  const isOwn = found?.clientId === request.access.clientId;
  if (found?.kind !== kind.id) throw unknownId(path, kind.id, isOwn ? found?.kind : undefined);
  if (isServed(kind, found, doing)) return found;
  throw isOwn ? onOtherVersion(path, found.apiVersion) : unknownId(path, kind.id);
}

/**
 * Loads the consent of the path. Throws unless it is of this kind and of this TPP. Source:
 * P-101…P-103.
 */
export async function ownConsent(
  kind: ServedKind,
  { database }: Pick<ShapeDeps, "database">,
  request: OperationRequest,
  doing: Doing = "reads",
): Promise<Consent> {
  const consent = await loadConsent(database, paramOf(request, "ConsentId"));
  return ownResource(kind, consent, request, "ConsentId", doing);
}

/** The path parameter of the orders of a kind. */
export const orderParameter = (kind: ServedKind): string =>
  kind.orderIdParameter ?? kind.orderIdField;

/**
 * Returns the order if it is of this kind and of this TPP; throws otherwise. Source: P-175, P-176.
 */
export const ownOrder = <Order extends Pick<PaymentOrder, "apiVersion" | "kind" | "clientId">>(
  kind: ServedKind,
  order: Order | undefined,
  request: OperationRequest,
): Order => ownResource(kind, order, request, orderParameter(kind), "reads");
