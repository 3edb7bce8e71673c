// What Aldgate asks a core over HTTP: the schema of each argument of the port's calls.
import Type, { type TSchema } from "typebox";
import type { AssessedConsent, AssessedFile, AssessedOrder } from "#src/bank/assessment.ts";
import type { AwaitedJourney, ChallengeSubject, ConfirmedDetail } from "#src/bank/challenge.ts";
import type { Notice } from "#src/bank/notice.ts";
import type {
  CustomerDevice,
  OrderingTpp,
  PaymentApproval,
  PaymentContext,
  SentBody,
} from "#src/bank/payment-context.ts";
import type {
  AgentReference,
  InternationalTerms,
  PaymentInstruction,
  PricedPayment,
  StatementReference,
} from "#src/bank/port.ts";
import { accountReference, payeeCheck, rateMembers, schemaOf } from "#src/bank/port-answers.ts";
import { jsonPort, wholeNumber } from "./json-values.ts";

const { instant, money } = jsonPort;
const text = Type.String();
const texts = Type.Array(text);
const flag = Type.Boolean();
const orNull = (schema: TSchema): TSchema => Type.Union([Type.Null(), schema]);
const textOrNull = orNull(text);
// the members of each object are those of its type
const of = schemaOf;
/** The subject of an act, which may share its type with others. */
type Subject<Act, One = ChallengeSubject> = One extends { act: infer Own }
  ? Act extends Own
    ? One
    : never
  : never;
const act = (...acts: string[]): TSchema => Type.Enum(acts);

const party = of("ChallengeParty", { name: text, account: text });
const detail = of<ConfirmedDetail>("ChallengeDetail", {
  label: text,
  value: text,
  isFingerprint: Type.Optional(Type.Boolean()),
});
const details = Type.Array(detail);

/** What a customer confirms with a second factor: the facts, as the pages show them. */
const subject = Type.Union(
  [
    of<Subject<"login">>("LoginSubject", { act: act("login") }),
    of<Subject<"payment">>("PaymentSubject", {
      act: act("payment", "file", "standing order", "payment permission", "signature"),
      id: text,
      amount: text,
      payee: party,
      details: Type.Optional(details),
      termsHash: text,
    }),
    of<Subject<"access">>("AccessSubject", {
      act: act("access"),
      id: text,
      clientName: text,
      permissions: texts,
      data: texts,
      until: text,
      termsHash: text,
    }),
    of<Subject<"funds confirmation">>("FundsSubject", {
      act: act("funds confirmation"),
      id: text,
      clientName: text,
      account: text,
      until: text,
      termsHash: text,
    }),
    of<Subject<"cancel order">>("CancelOrderSubject", {
      act: act("cancel order"),
      id: text,
      noun: text,
      amount: text,
      payee: text,
      details,
    }),
    of<Subject<"cancel direct debit">>("CancelMandateSubject", {
      act: act("cancel direct debit"),
      id: text,
      originator: text,
      reference: text,
    }),
    of<Subject<"add passkey">>("PasskeySubject", {
      act: act("add passkey", "remove passkey"),
      id: text,
      name: text,
    }),
    of<Subject<"save payee">>("PayeeSubject", {
      act: act("save payee", "trust payee"),
      id: text,
      payee: party,
    }),
  ],
  { title: "ChallengeSubject" },
);

const tpp = of<OrderingTpp>("OrderingTpp", {
  clientId: text,
  organisationId: text,
  organisationName: text,
  softwareId: text,
  softwareName: text,
  onBehalfOf: textOrNull,
});
const open = { additionalProperties: true };
const attachedData = Type.Optional(text);
const sentBody = of<SentBody>("SentBody", {
  Data: Type.Object({}, open),
  Risk: Type.Optional(Type.Object({}, open)),
});
const approval = of<PaymentApproval>("PaymentApproval", {
  customerId: text,
  authentication: orNull(of("Authentication", { at: instant, acr: text, amr: texts })),
});
const device = orNull(
  of<CustomerDevice>("CustomerDevice", { ipAddress: textOrNull, userAgent: textOrNull }),
);
const sentPayment = of<PaymentContext["sent"]>("SentPayment", {
  apiVersion: text,
  consent: sentBody,
  order: orNull(sentBody),
  devices: Type.Optional(of("PaymentDevices", { consent: device, order: device })),
});
const paymentUse = orNull(
  of("PaymentUse", { type: textOrNull, authentication: textOrNull, interaction: textOrNull }),
);
const context = of<PaymentContext>("PaymentContext", {
  orderId: text,
  consentId: text,
  kind: text,
  sequence: Type.Integer({ minimum: 1 }),
  tpp,
  approvedBy: Type.Array(approval),
  sent: sentPayment,
  entry: orNull(Type.Record(text, Type.Unknown())),
  use: paymentUse,
  attachedData,
});
const international = of<InternationalTerms>("InternationalTerms", {
  transferCurrency: text,
  rate: textOrNull,
  contractId: textOrNull,
  charge: orNull(money),
  deduction: orNull(money),
  network: Type.Enum(["SEPA", "SEPAInstant", "SWIFT"]),
  creditorAgent: orNull(
    of<AgentReference>("AgentReference", {
      bic: textOrNull,
      name: textOrNull,
      country: textOrNull,
    }),
  ),
  fundsAtOnce: flag,
});
const instruction = of<PaymentInstruction>("PaymentInstruction", {
  paymentId: Type.String({ minLength: 1, maxLength: 40 }),
  debtorAccountId: text,
  amount: money,
  charge: orNull(money),
  creditor: accountReference,
  endToEndId: textOrNull,
  reference: textOrNull,
  localInstrument: textOrNull,
  international: orNull(international),
  isStandingOrder: Type.Optional(flag),
  context: Type.Optional(context),
});

const file = Type.Optional(
  orNull(
    of<AssessedFile>("AssessedFile", {
      count: Type.Integer({ minimum: 1 }),
      totals: Type.Array(of("FileTotal", { count: Type.Integer({ minimum: 1 }), total: money })),
    }),
  ),
);

const assessed = of<AssessedConsent>("AssessedConsent", {
  consentId: text,
  kind: text,
  customerId: text,
  accountIds: texts,
  isRenewal: flag,
  hasSteppedUp: flag,
  tpp,
  sent: of<AssessedConsent["sent"]>("SentConsent", {
    apiVersion: text,
    consent: sentBody,
    devices: Type.Optional(of("ConsentDevices", { consent: device })),
  }),
  payeeCheck: orNull(payeeCheck),
  file,
  attachedData,
});

const assessedOrder = of<AssessedOrder>("AssessedOrder", {
  orderId: text,
  consentId: text,
  kind: text,
  customerId: text,
  debtorAccountId: text,
  sent: sentPayment,
  use: paymentUse,
  file,
  context: Type.Optional(of("OrderContext", { tpp, approvedBy: Type.Array(approval) })),
  attachedData,
});

const notice = of<Notice>("Notice", {
  noticeId: text,
  position: wholeNumber,
  at: instant,
  occasion: Type.Enum([
    "consent-given",
    "consent-changed",
    "consent-used",
    "consent-ended",
    "order-received",
    "order-changed",
    "order-ended",
  ]),
  by: Type.Enum(["tpp", "customer", "bank", "clock", "unknown"]),
  interactionId: textOrNull,
  consentId: text,
  orderId: textOrNull,
  kind: text,
  status: text,
  reasons: Type.Array(of("NoticeReason", { code: text, text })),
  channel: orNull(of("NoticeChannel", { name: text, actor: text, reason: text })),
  tpp,
  customerIds: texts,
  accountIds: texts,
  consent: orNull(
    of("NoticeConsent", { expiresAt: orNull(instant), isPaused: flag, hasGrant: flag }),
  ),
  attachedData,
});

/** The arguments of the calls, by name. */
export const given = {
  text,
  textOrNull,
  texts,
  flag,
  instant,
  money,
  subject,
  accountReference,
  payments: Type.Array(instruction, { minItems: 1 }),
  paymentIds: Type.Array(text, { minItems: 1 }),
  payee: of("NewPayee", {
    creditor: accountReference,
    creditorBic: textOrNull,
    reference: textOrNull,
  }),
  pair: of("CurrencyPair", {
    unitCurrency: rateMembers.unitCurrency,
    otherCurrency: rateMembers.otherCurrency,
  }),
  rateType: Type.Enum(["Actual", "Indicative"]),
  priced: of<PricedPayment>("PricedPayment", {
    debtorAccountId: text,
    amount: money,
    international,
  }),
  wanted: of("WantedMembers", { funds: flag }),
  request: of("ChallengeTerms", {
    subjectHash: text,
    method: Type.Optional(Type.Enum(["code"], { type: "string" })),
    journey: Type.Optional(
      of<AwaitedJourney>("AwaitedJourney", {
        journeyId: text,
        expiresAt: instant,
        bindingMessage: Type.Optional(text),
        warning: Type.Optional(of("PayeeWarning", { title: text, text })),
      }),
    ),
  }),
  assessed,
  assessedOrder,
  statement: of<StatementReference>("StatementReference", {
    accountId: text,
    statementId: text,
    customerId: text,
  }),
  notices: Type.Array(notice, { minItems: 1 }),
};
