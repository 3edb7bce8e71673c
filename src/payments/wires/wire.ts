import type { TSchema } from "typebox";
import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import type { PaymentDetail } from "#src/payments/details/load-payment-details.ts";
import type { OrderWithConsent } from "#src/payments/order/load-order.ts";
import type { ExpectedDates, OrderTerms } from "#src/payments/order/payment-order.ts";
import type { MemberPaths, PaymentRequest } from "#src/payments/request/payment-request.ts";
import type { ApiVersion, ApiVersionId } from "#src/standard/api-version.ts";
import type { EmitSets, StatusVocabulary } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import type { DemoCreditor, Example } from "./example.ts";

/** The published schemas of a kind's four bodies. */
export type KindSchemas = {
  initiation: TSchema;
  consentRequest: TSchema;
  consentResponse: TSchema;
  orderRequest: TSchema;
  orderResponse: TSchema;
};

/** The published schemas of responses that are the same for every kind of a version. */
export type SharedSchemas = { details: TSchema; funds: TSchema; file: TSchema };

/** Makes the schema that requests are judged by from a published one. */
type JudgedBy = (schema: TSchema, options: { strictOas: boolean }) => TSchema;

/** How a version words an initiation: of a single payment, or of a payment of a file. */
export type InitiationWire = {
  initiation: TSchema;
  /** The path of each member that a request of this kind may have. */
  paths: MemberPaths;
  judgedBy: JudgedBy;
  /** Reads a body that its schema may have refused; never throws. */
  read(body: unknown): PaymentRequest;
};

/** The debtor and the dates that a consent shows besides what the TPP sent. */
export type ConsentExtras = { debtor: OrderTerms["debtor"] | null; expected: ExpectedDates | null };

/** A kind in one version of the API: the only code that knows its bodies. */
export type Wire = Omit<InitiationWire, "initiation"> & {
  version: ApiVersion;
  schemas: KindSchemas & SharedSchemas;
  /** The statuses that may be shown, by the release of the version. */
  statuses: Readonly<Record<StatusVocabulary, EmitSets>>;
  /** Words a body of an earlier version as this version does, for the consents that it serves. */
  earlier?: Readonly<Partial<Record<ApiVersionId, (body: ConsentBody) => ConsentBody>>>;
  /** The parts of a consent that its order must repeat, by their paths. Source: P-152. */
  repeated: readonly string[];
  /** The parts of an order that its consent does not have, as a body: stored with the order. */
  ownParts?(body: unknown): ConsentBody;
  /** The bodies with which the API reference starts on a given day: valid, apart from ids. */
  sample(today: Temporal.PlainDate): Example<object>;
  /** The bodies with which the demo pays this creditor. */
  demo(creditor: DemoCreditor, now: Temporal.Instant): Example<string>;
  /** The answer with a consent: what was sent, exactly, with what the bank has added. */
  renderConsent(consent: Consent, extras: ConsentExtras, self: string): object;
  /** The answer with an order, whose status is one that the version knows. */
  renderOrder(order: OrderWithConsent, shown: ShownStatus, self: string): object;
  /** An entry of payment-details. */
  renderDetail(payment: PaymentDetail, status: string): object;
  /** The answer to a funds confirmation. */
  renderFunds(available: boolean, now: Temporal.Instant, self: string): object;
};

/** The status of an order as this TPP is shown it. */
export type ShownStatus = {
  idField: string;
  status: string;
  /** The members that only the order has, in the words of the version; null if it has none. */
  own: ConsentBody | null;
};

/** The part of a wire that words initiations. */
export const initiationWire = ({ schemas, paths, judgedBy, read }: Wire): InitiationWire => ({
  initiation: schemas.initiation,
  paths,
  judgedBy,
  read,
});

/** A stored body as a wire words it: as it was sent, unless it was sent on an earlier version. */
export function bodyOn(
  { version, earlier }: Wire,
  stored: { apiVersion: ApiVersionId; body: ConsentBody },
): ConsentBody {
  if (stored.apiVersion === version.id) return stored.body;
  const reword = earlier?.[stored.apiVersion];
  return present(reword, `${stored.apiVersion} in the words of ${version.id}`)(stored.body);
}

/** Whether a wire serves consents and orders of that version. Source: P-028. */
export const isServed = (
  { wire: { version, earlier } }: { wire: Wire },
  { apiVersion }: { apiVersion: ApiVersionId },
): boolean => apiVersion === version.id || earlier?.[apiVersion] !== undefined;
