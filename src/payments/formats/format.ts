import type { TSchema } from "typebox";
import type { BankCharge } from "#src/bank/port.ts";
import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { formatAmount, type Money } from "#src/lib/money.ts";
import type { PaymentDetail } from "#src/payments/order/load-payment-details.ts";
import type {
  ExpectedDates,
  OrderWithConsent,
  PaymentOrder,
  ShownAccount,
} from "#src/payments/order/payment-order.ts";
import type { RepeatedPart } from "#src/payments/request/match.ts";
import type { MemberPaths, PaymentRequest } from "#src/payments/request/payment-request.ts";
import type { KeyConflict } from "#src/payments/request/refusals.ts";
import type { ApiVersion, ApiVersionId } from "#src/standard/api-version.ts";
import type { PropertyWords } from "#src/standard/descriptions/property-words.ts";
import type { Judgement } from "#src/standard/shared/judgement.ts";
import type { ShownStatuses } from "#src/standard/shared/payments/statuses.ts";
import type { JsonReportWords } from "./report-words.ts";

// How bodies are read and rendered. A format is a payment kind in one API version: the published
// schemas, the path of each member, the function that reads a body into a `PaymentRequest`, and the
// functions that render consents, orders and payment-details. The formats of a version are in its
// folder in payments/versions/. Here are the parts that versions share: member-paths.ts and
// initiation-format.ts for the kinds whose bodies have an initiation, and vrp.ts for variable
// recurring payments.

/** The published schemas of a kind's bodies. */
export type KindSchemas = {
  initiation: TSchema;
  consentRequest: TSchema;
  consentResponse: TSchema;
  orderRequest: TSchema;
  orderResponse: TSchema;
};

/** The published schemas that all kinds of a version share. */
export type SharedSchemas = {
  details: TSchema;
  funds: TSchema;
};

/** A funds confirmation; `asked` is the TPP's request with its new id, if it sent the amount. */
export type FundsAnswer = {
  available: boolean;
  now: Temporal.Instant;
  self: string;
  asked: { id: string; body: unknown } | null;
};

/** The operations of a kind, by the names under which a format gives their ids. */
export type OperationName =
  | "lodge"
  | "read"
  | "delete"
  | "confirmFunds"
  | "submit"
  | "readOrder"
  | "readDetails";

/** How a format serves consents and orders of an earlier version. */
export type EarlierBodies = {
  /** Translates a body into the format's format. */
  reword(body: ConsentBody): ConsentBody;
  /**
   * Derives the schema of orders under such consents, if they may have values that consents of the
   * format's own version may not have. Source: V-171.
   */
  judgedBy?: Judgement;
  /** Whether they can only be read: a consent is then used on its own version. Source: F-005. */
  readOnly?: boolean;
};

/** The format of an initiation in one version: of a single payment, or of a payment in a file. */
export type InitiationFormat = {
  initiation: TSchema;
  /** The path of each member that a request of this kind may have. */
  paths: MemberPaths;
  /** The other paths at which `read` finds something, such as a reference. */
  otherPaths: readonly string[];
  /** Derives from a published schema the one that requests are validated against. */
  judgedBy: Judgement;
  /** What the bank wants in some members, where the published schema does not say it. */
  words?: PropertyWords;
  /** Reads a body, even one that does not match the schema. Never throws. */
  read(body: unknown): PaymentRequest;
};

/** The debtor and the dates that a consent shows besides the TPP's members. */
export type ConsentExtras = { debtor: ShownAccount | null; expected: ExpectedDates | null };

/** How the orders under one consent each state a payment of their own. */
export type InstructionFormat = {
  /** The path of the part of an order that states it. This part is stored with the order. */
  at: string;
  /** The path of each member of an order. */
  paths: MemberPaths;
  /**
   * The parts that an order repeats in another place, if its consent has them. Source: V-101,
   * V-104.
   */
  repeated: readonly RepeatedPart[];
  /**
   * Where an order may name the account that the customer chose, although its consent names none.
   * The part that has this member is then stored with the order too. Source: V-107, V-129.
   */
  chosenDebtor?: string;
  /** What an order must have in some members, given the body of its consent. */
  wordsOf?(consent: ConsentBody): PropertyWords;
  /** The values of the header `payload-version` of an order, if it may have that. Source: V-131. */
  payloadVersions?: readonly string[];
  /** The request for a funds confirmation, in which the TPP sends the amount. */
  funds?: {
    schema: TSchema;
    paths: MemberPaths;
    /** Where a consent may have the reference, which the request may repeat. */
    references: readonly string[];
  };
};

/** A kind in one API version. Only its format knows the format of its bodies. */
export type Format = Omit<InitiationFormat, "initiation"> & {
  version: ApiVersion;
  /** The published ids of its operations, if they do not follow from the paths. */
  operationIds?: Readonly<Record<OperationName, string>>;
  schemas: KindSchemas & SharedSchemas;
  /** The statuses that may be shown, in the version's words. */
  statuses: ShownStatuses;
  /** The earlier versions whose consents and orders can be read in this version. */
  earlier?: Readonly<Partial<Record<ApiVersionId, EarlierBodies>>>;
  /** The paths of the parts of a consent that its order must repeat. Source: P-152. */
  repeated: readonly string[];
  /** How an order states its payment, if it does not only repeat its consent. */
  instruction?: InstructionFormat;
  /**
   * How a key that was used with another body is refused, if not by the setting
   * IDEMPOTENCY_CONFLICT_STATUS. Source: P-050, D-401-09, F-059.
   */
  keyConflict?: KeyConflict;
  /** The words of reports on JSON files, if the kind's payments are in files. */
  reportWords?: JsonReportWords;
  /** Renders a consent: exactly what was sent, and the bank's additions. */
  renderConsent(consent: Consent, extras: ConsentExtras, self: string): object;
  /** Renders an order, given a status that the version has. */
  renderOrder(order: OrderWithConsent, shown: ShownStatus, self: string): object;
  /** Renders an entry of payment-details. */
  renderDetail(payment: PaymentDetail, status: string): object;
  /** Renders the response to a funds confirmation. */
  renderFunds(answer: FundsAnswer): object;
};

/** The path of each member in the body of an order. */
export const orderPathsOf = ({ instruction, paths }: Format): MemberPaths =>
  instruction?.paths ?? paths;

/** The status of an order as shown to this TPP. */
export type ShownStatus = {
  idField: string;
  status: string;
  /** The members that only the order has, in the version's format; null if it has none. */
  own: ConsentBody | null;
};

/** The ids, the times and the status of an order, as in every version's responses with an order. */
export const shownOrder = (
  order: PaymentOrder,
  { idField, status }: ShownStatus,
): Record<string, string> => ({
  [idField]: order.orderId,
  ConsentId: order.consentId,
  CreationDateTime: formatInstant(order.createdAt),
  Status: status,
  StatusUpdateDateTime: formatInstant(order.statusUpdatedAt),
});

/** Returns the part of a format that reads initiations. */
export const initiationFormat = (format: Format): InitiationFormat => ({
  initiation: format.schemas.initiation,
  paths: format.paths,
  otherPaths: format.otherPaths,
  judgedBy: format.judgedBy,
  read: format.read,
});

/**
 * Returns a stored body in a format's format: as it was sent, or translated if it was sent in an
 * earlier version.
 */
export function bodyOn(
  { version, earlier }: Format,
  stored: { apiVersion: ApiVersionId; body: ConsentBody },
): ConsentBody {
  if (stored.apiVersion === version.id) return stored.body;
  const bodies = earlier?.[stored.apiVersion];
  return present(
    bodies,
    `the conversion of a ${stored.apiVersion} consent body to ${version.id}`,
  ).reword(stored.body);
}

/** What a request does with a consent or an order. */
export type Doing = "reads" | "uses";

/** Whether a format serves consents and orders of the given version. Source: P-028, F-005. */
export function isServed(
  { format: { version, earlier } }: { format: Format },
  { apiVersion }: { apiVersion: ApiVersionId },
  doing: Doing = "reads",
): boolean {
  if (apiVersion === version.id) return true;
  const bodies = earlier?.[apiVersion];
  return bodies !== undefined && (doing === "reads" || bodies.readOnly !== true);
}

// Parts of responses that every version of the standard writes in the same way.

/** Renders an account, with the members that are given. */
export const renderAccount = ({
  schemeName,
  identification,
  name = null,
  secondaryIdentification = null,
}: ShownAccount): object => ({
  ...(schemeName === undefined ? {} : { SchemeName: schemeName }),
  ...(identification === undefined ? {} : { Identification: identification }),
  ...(name === null ? {} : { Name: name }),
  ...(secondaryIdentification === null ? {} : { SecondaryIdentification: secondaryIdentification }),
});

/** Renders an amount. */
const renderAmount = ({ amountMinor, currency }: Money) => ({
  Amount: formatAmount(amountMinor, currency),
  Currency: currency,
});

/** Renders the bank's charges: an empty list if there are none. */
export const renderCharges = (charges: readonly BankCharge[] = []): object[] =>
  charges.map(({ chargeBearer, type, amount }) => ({
    ChargeBearer: chargeBearer,
    Type: type,
    Amount: renderAmount(amount),
  }));
