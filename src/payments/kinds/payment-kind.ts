import type { AccountReference, InternationalTerms } from "#src/bank/port.ts";
import type { Consent, ConsentTerms } from "#src/consents/consent.ts";
import type { ConsentCourse } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import type { Money } from "#src/lib/money.ts";
import type { PaymentSummary } from "#src/pages/consent-summary.ts";
import { executionInstant } from "#src/payments/calendar/execution-instant.ts";
import type { FileFormat } from "#src/payments/files/file-format.ts";
import type { OrderFamily } from "#src/payments/order/order-states.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { Check, KindRules, RequestFault } from "#src/payments/request/checks.ts";
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

/** One payment that an order consists of, before it has an id. */
export type PaymentDraft = {
  /** The debit, without the charge. */
  amount: Money;
  /** The bank's charge to the debtor, in the same currency. */
  chargeMinor: bigint;
  /** When it is to be executed; null is immediately. */
  executeAt: Temporal.Instant | null;
  creditor: AccountReference;
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  /** For a payment of a schedule: its scheduled date, and whether it is the last one. */
  occurrence?: Pick<Occurrence, "date" | "isLast">;
  /**
   * For international payments: the amount may be in another currency, and this has its charges.
   */
  international?: InternationalTerms;
};

/** The inputs for planning an order's payments. */
export type OrderPlan = {
  kind: PaymentKind;
  /** Has passed every check. */
  request: PaymentRequest;
  /** The bank's additions to the consent. */
  terms: ConsentTerms;
  /** The moment that the order is, or would be, submitted at. */
  now: Temporal.Instant;
  config: PaymentConfig;
};

/** A payment kind: one row, from which its operations, checks and screens are compiled. */
export type PaymentKind = KindRow & (SingleUse | SeveralUses) & (PaymentsOfOrder | PaymentsOfFile);

type SingleUse = { consent: ConsentCourse<"once">; withinLimits?: never };
type SeveralUses = {
  consent: ConsentCourse<"within limits">;
  withinLimits: WithinLimits;
  /** The consent has no amount whose funds could be confirmed. */
  fundsConfirmation: false;
};

type PaymentsOfOrder = {
  /** The payments that an order starts with, in their order; one at least. */
  payments: (plan: OrderPlan) => PaymentDraft[];
  formats?: never;
};
type PaymentsOfFile = {
  /** The payments are those of a file that is uploaded to the consent. */
  payments: null;
  /** The formats of files that the bank accepts. */
  formats: readonly FileFormat<PaymentKind>[];
};

/** A kind whose payments are uploaded. */
export type FileKind = PaymentKind & PaymentsOfFile;

/** The members of every row. */
type KindRow = KindRules & {
  /** Also `consent.kind`, `payment_order.kind` and the stem of its paths. */
  id: PaymentKindId;
  /** OpenAPI tag: `Domestic Payments`. */
  tag: string;
  /** `DomesticPaymentId`: member of the response and path parameter. */
  orderIdField: string;
  /**
   * The path parameter, of the one kind that publishes another name for it. Source: PISP OpenAPI
   * file.
   */
  orderIdParameter?: string;
  /** Of the identifiers of its consents and orders, up to 13 characters. */
  consentIdPrefix: string;
  orderIdPrefix: string;
  /** The table of statuses that its orders follow, and their payments. */
  family: OrderFamily;
  /** Whether immediate payments of this kind have a cut-off, which the settings may name. */
  hasCutOff: boolean;
  /**
   * Whether consents and orders say when they will be executed and settled.
   * Source: PISP OpenAPI file.
   */
  givesExpectedDates: boolean;
  /** Whether `funds-confirmation` is offered for its consents. */
  fundsConfirmation: boolean;
  /** The checks that are repeated for the order, besides the date of execution. */
  orderChecks?: readonly Check[];
  /** The schedule of the kinds with recurring payments; the engine plans each payment by it. */
  schedule?(plan: OrderPlan): Schedule;
  demo: Demo;
  /** The wires: how its bodies look in each version of the API. */
  wires: Wires;
};

/** How the demo plays a kind; the bodies are on its wires. */
export type Demo = {
  /** The payee, if it is not a customer of this bank. */
  creditor?: DemoCreditor;
  /** How far to set the clock forward for the payment to settle; null if it settles by itself. */
  advance: string | null;
};

/** An earlier order of a consent that is used within limits. */
export type ConsentedUse = Money & { acceptedAt: Temporal.Instant };

/** The inputs for checking the limits of a consent. */
export type GivenUse = {
  consent: PaymentRequest;
  order: PaymentRequest;
  /** In the order of their acceptance, without those that were refused. */
  earlier: readonly ConsentedUse[];
  now: Temporal.Instant;
};

/** The part of a kind whose consents are used more than once, within limits. */
export type WithinLimits = {
  /** Lists the faults of an order, given the limits of its consent and its earlier orders. */
  check(given: GivenUse): RequestFault[];
  /**
   * The texts of a consent for the customer: the limit for one payment, and the limits per period.
   */
  words(limits: RequestedLimits): Pick<PaymentSummary, "amount" | "rows">;
};

/** The wires of a kind. */
export type Wires = Readonly<Partial<Record<ApiVersionId, Wire>>>;

/** A kind as one version of the API serves it. */
export type ServedKind<Kind extends PaymentKind = PaymentKind> = Kind & { wire: Wire };

/** A kind on each version that serves it. */
export const servedKinds = (kind: PaymentKind): ServedKind[] =>
  Object.values(kind.wires).map((wire) => ({ ...kind, wire }));

/** The wire of a kind in a version that it has. */
export const wireOf = ({ id, wires }: PaymentKind, version: ApiVersionId): Wire =>
  present(wires[version], `${id} in ${version}`);

/** Reads what a stored consent asks for. Its schema and the checks have found no fault in it. */
export const requestOf = (
  kind: PaymentKind,
  { apiVersion, body }: Pick<Consent, "apiVersion" | "body">,
): PaymentRequest => wireOf(kind, apiVersion).read(body);

/** Declares a payment kind. */
export const definePaymentKind = <Row extends PaymentKind>(row: Row): Readonly<Row> =>
  Object.freeze(row);

/** The one payment of a kind that orders one: its amount to its creditor. */
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

/** A checked account, for the bank's port. */
export const accountReference = (account: RequestedAccount): AccountReference => ({
  schemeName: present(account.schemeName, "the scheme of a checked account"),
  identification: present(account.identification, "the identification of a checked account"),
  name: account.name,
  secondaryIdentification: account.secondaryIdentification,
});
