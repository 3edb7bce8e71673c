import type { AccountReference, BankAccount } from "#src/bank/port.ts";
import { type Consent, type StatusReason, statusReason } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import type { FileTerms } from "#src/consents/terms.ts";
import { assert, present } from "#src/lib/assert.ts";
import { toInstant } from "#src/lib/date-time.ts";
import type { Money } from "#src/lib/money.ts";
import type { ConsentNoun, PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import {
  accountNumberText,
  currencyText,
  moneyText,
  notOpenText,
  weekdayText,
} from "#src/pages/wording.ts";
import { type CutOff, cutOffOf, isAfterCutOff } from "#src/payments/calendar/cut-off.ts";
import { settlementInstant } from "#src/payments/calendar/domestic-instruments.ts";
import {
  bankDate,
  bankZone,
  hasCome,
  isAtOnce,
  type Timing,
} from "#src/payments/calendar/timing.ts";
import { holidaysOf } from "#src/payments/calendar/working-days.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import {
  fileNotes,
  filePriceRows,
  fileRows,
  summariseFile,
} from "#src/payments/files/file-summary.ts";
import { exchangeRows, priceRows, whyNotExchanged } from "#src/payments/international/summary.ts";
import {
  accountReference,
  type OrderPlan,
  type PaymentDraft,
  type PaymentKind,
  requestOf,
  wireOf,
} from "#src/payments/kinds/payment-kind.ts";
import { anyPayee, permissionNotes } from "#src/payments/limits/use-words.ts";
import { fitsAuthorisationType, wireFaults } from "#src/payments/request/checks.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { debtorCharges } from "#src/payments/request/tariff.ts";
import { scheduleAmount, scheduleRows } from "#src/payments/schedule/schedule-text.ts";
import { aboutKind } from "#src/standard/shared/accounts/account-kinds.ts";

type Deps = Pick<PaymentDeps, "bank" | "config">;
type ConfigDeps = Pick<PaymentDeps, "config">;

/** The facts about each payment kind that a journey needs. */
export const paymentConsentKinds = (kinds: readonly PaymentKind[], deps: Deps): ConsentKind[] =>
  kinds.map((kind) => ({
    id: kind.id,
    scope: "payments",
    noun: nounOf(kind),
    accountChoice: "one",
    course: kind.consent,
    namedDebtor: (consent) => {
      const { debtor } = requestOf(kind, consent);
      if (debtor) return accountReference(debtor);
      return consent.terms.file?.debtor ?? null;
    },
    whyNotEligible: (consent, account) => {
      const why = notOpenText(account.status);
      if (why) return `This account is ${why}.`;
      // flexible savings accounts are payment accounts too. Source: FCA PERG section 15.3
      const { notForPayments } = aboutKind(account.accountSubType);
      if (notForPayments) return `Payments cannot be made from ${notForPayments} here.`;
      return whyOtherCurrency(kind, consent, account);
    },
    // Source: P-092, D-401-25.
    whyNotSignable: (consent, account) => {
      // nobody could ask the others to approve each payment. Source: V-055
      if (kind.withinLimits && account.signatoriesRequired > 1) {
        return "Payments from this account must be approved by more than one person.";
      }
      const { type } = requestOf(kind, consent).authorisation;
      if (fitsAuthorisationType(type, account)) return null;
      return type === "Single"
        ? "Payments from this account must be approved by more than one person."
        : "This payment must be approved by more than one person.";
    },
    whyNotNow: (consent, now) => whyNotNow(kind, deps, consent, now),
    summarise: (consent, now) => summarise(kind, deps, consent, now),
    review: {
      isNeeded: ({ terms }, account) =>
        kind.currencies === "exchanged" ||
        (terms.file?.abroad ?? 0) > 0 ||
        (account?.signatoriesRequired ?? 1) > 1,
      more: async (consent, account, now) => {
        const plan = planOf(kind, consent, now, deps);
        const [payment] = kind.withinLimits ? [] : (kind.payments?.(plan) ?? []);
        const rows = payment
          ? await priceRows(deps.bank, payment, account, consent.terms)
          : await filePriceRows(deps.bank, consent, account);
        return {
          rows: kind.schedule ? ofFirstPayment(rows) : rows,
          notes: signatureNotes(account),
        };
      },
    },
  }));

/** Of a standing order, only the price of the first payment is known: it is not the headline. */
const ofFirstPayment = (rows: readonly SummaryRow[]): SummaryRow[] =>
  rows.map(({ total, ...row }) =>
    total
      ? {
          ...row,
          label: "First payment takes",
          value: [row.value, total.detail].filter(Boolean).join(", "),
        }
      : row,
  );

/**
 * The note that others must approve too. Source: customer experience guidelines, Payment Initiation
 * Services.
 */
function signatureNotes({ signatoriesRequired }: BankAccount): string[] {
  if (signatoriesRequired < 2) return [];
  const others = signatoriesRequired - 1;
  const who = others === 1 ? "one other person" : `${others} other people`;
  return [
    `Payments from this account must be approved by ${signatoriesRequired} people. Once you have ` +
      `approved this one, we will not make it until ${who} ${others === 1 ? "has" : "have"} ` +
      "approved it too.",
  ];
}

/**
 * The reason, in the customer's words, why an account's currency is not possible; null if it is.
 */
function whyOtherCurrency(
  kind: PaymentKind,
  consent: Consent,
  account: BankAccount,
): string | null {
  if (kind.currencies === "exchanged")
    return whyNotExchanged(requestOf(kind, consent), consent.terms, account);
  const { file } = consent.terms;
  if (file) return whyNotPaidFrom(file, account);
  return kind.currencies.includes(account.currency)
    ? null
    : `This account is in ${currencyText(account.currency)}.`;
}

/** The reason why a file cannot be paid from an account in this currency; null if it can. */
const whyNotPaidFrom = (
  { accountCurrency }: FileTerms,
  { currency }: Pick<BankAccount, "currency">,
): string | null =>
  accountCurrency === null || accountCurrency === currency
    ? null
    : `The file must be paid from an account in ${currencyText(accountCurrency)}. ` +
      `This one is in ${currencyText(currency)}.`;

function whyNotNow(
  kind: PaymentKind,
  { config }: ConfigDeps,
  consent: Consent,
  now: Temporal.Instant,
): StatusReason | null {
  const asked = requestOf(kind, consent);
  const { paths } = wireOf(kind, consent.apiVersion);
  const { terms } = consent;
  if (terms.vrpContract?.endedAt !== undefined) return contractEnded;
  const { cutOff } = terms;
  if (cutOffOf(kind, config).strategy === "reject" && cutOff !== undefined) {
    if (hasCome(cutOff, now)) {
      return statusReason("U012", "The cut-off for immediate payments has passed.");
    }
  }
  const { expiresAt = null } = terms.exchangeRate ?? {};
  if (expiresAt !== null && hasCome(expiresAt, now)) {
    const path = "Data.ExchangeRateInformation.ExpirationDateTime";
    return statusReason("U042", "The quoted exchange rate has expired.", path);
  }
  const { timing } = kind;
  if (timing.when === "onDate" && isDayOver(timing, asked, now)) {
    const message = "The payment date arrived before the consent was authorised.";
    return statusReason("DT01", message, paths.executionDate);
  }
  const none = { debtor: null, exchange: null, contracts: [], schemeStatus: null };
  const checked = { kind, request: asked, now, config, ...none };
  const faults = (kind.orderChecks ?? []).flatMap((check) => check(checked));
  const [fault] = wireFaults(faults, paths);
  if (fault) return statusReason(fault.code, fault.message, fault.path);
  const { completion } = asked.authorisation;
  if (!completion || !hasCome(toInstant(completion), now)) return null;
  const message = "The time for completing the authorisation has passed.";
  return statusReason("U042", message, paths["authorisation.completion"]);
}

const contractEnded = statusReason("U042", "The contract between the bank and the TPP has ended.");

/** Whether the requested payment date has passed. */
function isDayOver(
  { optional }: Extract<Timing, { when: "onDate" }>,
  { executionDate }: PaymentRequest,
  now: Temporal.Instant,
): boolean {
  if (!executionDate) return false;
  const today = now.toZonedDateTimeISO(executionDate.offset ?? "UTC").toPlainDate();
  const ahead = Temporal.PlainDate.compare(executionDate.local.toPlainDate(), today);
  return optional ? ahead < 0 : ahead <= 0;
}

/** The inputs for planning a consent's order now. */
const planOf = (
  kind: PaymentKind,
  consent: Consent,
  now: Temporal.Instant,
  { config }: ConfigDeps,
): OrderPlan => ({
  kind,
  request: requestOf(kind, consent),
  terms: consent.terms,
  now,
  config,
});

function summarise(
  kind: PaymentKind,
  { config }: ConfigDeps,
  consent: Consent,
  now: Temporal.Instant,
): PaymentSummary {
  const plan = planOf(kind, consent, now, { config });
  if (!kind.payments) {
    const { request, terms } = plan;
    return {
      ...summariseFile(request, terms),
      rows: fileRows(request, terms),
      notes: [...fileNotes(request, terms, now), ...notesOf(plan, null)],
    };
  }
  if (kind.withinLimits) {
    const { creditor } = plan.request;
    const limits = present(plan.request.limits, "the limits of a consent");
    const { amount, rows } = kind.withinLimits.words(limits, consent);
    return {
      type: "payment",
      noun: "payment permission",
      amount,
      ...(creditor ? payeeOf(accountReference(creditor)) : anyPayee),
      // the words of a permission are its limits, unless they say something else
      rows: [
        ...rows.map((row) => ({ about: "cost" as const, confirmed: true, ...row })),
        ...referenceRows(plan.request),
      ],
      notes: [...permissionNotes({ limits, creditor }), ...notesOf(plan, null)],
    };
  }
  const [payment] = kind.payments(plan);
  assert(payment, "a consent has a payment");
  const schedule = kind.schedule?.(plan) ?? null;
  return {
    type: "payment",
    ...(schedule ? { noun: "standing order" as const } : {}),
    amount: schedule ? scheduleAmount(schedule) : moneyOf(payment.amount),
    ...payeeOf(payment.creditor),
    rows: [
      ...rowsOf(payment),
      ...(schedule ? scheduleRows(schedule) : dayRows(payment, now, config)),
      ...(payment.international
        ? exchangeRows(consent.terms, plan.request)
        : chargeRows(consent, payment.amount, schedule !== null)),
    ],
    notes: notesOf(plan, payment),
  };
}

/** The word for what a consent of the kind allows. */
function nounOf(kind: PaymentKind): "payment" | ConsentNoun {
  if (!kind.payments) return "file of payments";
  if (kind.withinLimits) return "payment permission";
  return kind.schedule ? "standing order" : "payment";
}

const payeeOf = (
  creditor: AccountReference,
): Pick<PaymentSummary, "payeeName" | "payeeAccount"> => ({
  payeeName: creditor.name ?? creditor.identification,
  payeeAccount: accountNumberText(creditor.schemeName, creditor.identification),
});

const referenceRows = ({ reference }: Pick<PaymentDraft, "reference">): PaymentSummary["rows"] =>
  reference === null ? [] : [{ label: "Reference", value: reference }];

const rowsOf = ({ creditor, reference }: PaymentDraft): PaymentSummary["rows"] => [
  ...referenceRows({ reference }),
  ...(creditor.secondaryIdentification === null || creditor.secondaryIdentification === reference
    ? []
    : [{ label: "Roll number", value: creditor.secondaryIdentification }]),
];

function dayRows(
  payment: PaymentDraft,
  now: Temporal.Instant,
  config: PaymentDeps["config"],
): PaymentSummary["rows"] {
  const { executeAt, localInstrument } = payment;
  const execution = executeAt ?? now;
  const arrival = settlementInstant(localInstrument, execution, holidaysOf(config));
  return [
    {
      label: "Payment date",
      value: executeAt === null ? "Now" : dayText(executeAt),
      about: "when",
      confirmed: true,
    },
    ...(arrival.equals(execution)
      ? []
      : [{ label: "Arrives by", value: dayText(arrival), about: "when" as const }]),
  ];
}

const moneyOf = ({ amountMinor, currency }: Money): string => moneyText(amountMinor, currency);

/** The charge, and what leaves the account together with it. */
function chargeRows(
  { terms }: Consent,
  { amountMinor, currency }: Money,
  repeats: boolean,
): PaymentSummary["rows"] {
  const charged = debtorCharges(terms, currency);
  if (charged === 0n) return [];
  const charge = moneyText(charged, currency);
  if (repeats)
    return [{ label: "Bank charge", value: `${charge} for each payment`, about: "cost" }];
  const total = moneyText(amountMinor + charged, currency);
  return [
    { label: "Bank charge", value: charge, about: "cost" },
    {
      label: "Taken from your account",
      value: total,
      about: "cost",
      total: { detail: `including ${charge} in charges` },
    },
  ];
}

function notesOf(
  { kind, request, terms, now, config }: OrderPlan,
  payment: PaymentDraft | null,
): string[] {
  const notes: string[] = [];
  if (terms.cutOff !== undefined) {
    notes.push(cutOffNote(terms.cutOff, cutOffOf(kind, config), { now, payment }));
  }
  if (kind.schedule) {
    notes.push(
      "This sets up a standing order. Its payments are then made automatically. If a payment " +
        "date " +
        "is not a working day, the money leaves your account on the next working day. You can " +
        "cancel the standing order in online banking at any time.",
    );
  } else if (payment && !isAtOnce(kind.timing, request)) {
    notes.push(
      payment.international?.fundsAtOnce
        ? "The rate is fixed, so the money is set aside today and the payment cannot be cancelled."
        : "The money leaves your account on that day. You can cancel in online banking until then.",
    );
  }
  if (request.readsRefundAccount) {
    notes.push(
      "Your account details will be shared with the company that you are paying through, " +
        "so that it can send you refunds.",
    );
  }
  return notes;
}

function cutOffNote(
  instant: Temporal.Instant,
  rule: CutOff,
  { now, payment }: { now: Temporal.Instant; payment: PaymentDraft | null },
): string {
  if (isAfterCutOff(now, rule)) {
    const day = payment?.executeAt ? dayText(payment.executeAt) : "the next working day";
    return `It is too late for today. We will pay on ${day}.`;
  }
  const cutOff = instant.toZonedDateTimeISO(bankZone);
  const day = cutOff.toPlainDate().equals(bankDate(now)) ? "today" : `on ${dayText(instant)}`;
  const time = cutOff.toPlainTime().toString({ smallestUnit: "minute" });
  return rule.strategy === "reject"
    ? `Confirm before ${time} ${day}: after that the payment cannot be made.`
    : `Confirm before ${time} ${day} for the payment to be made that day.`;
}

const dayText = (instant: Temporal.Instant): string => weekdayText(bankDate(instant));
