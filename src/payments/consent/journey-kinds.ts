import { namesOfOthers } from "#src/bank/other-signatories.ts";
import type { Bank, BankAccount } from "#src/bank/port.ts";
import { type Consent, type StatusReason, statusReason } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { statusReasons } from "#src/consents/status-reasons.ts";
import { debtorCharges } from "#src/consents/terms.ts";
import { toInstant } from "#src/lib/date-time.ts";
import { type RequestNoun, untilApproved } from "#src/pages/journey-endings.ts";
import { notOpenText } from "#src/pages/wording.ts";
import { cutOffOf, hasCome, type Timing } from "#src/payments/calendar/timing.ts";
import {
  type PaymentDeps,
  type PaymentKind,
  planOf,
  readingFormat,
  requestOf,
} from "#src/payments/definitions/payment-kind.ts";
import { fitsAuthorisationType, locatedFaults } from "#src/payments/request/checks.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { accountReference } from "#src/payments/shapes/draft-order.ts";
import { aboutKind } from "#src/standard/shared/accounts/account-kinds.ts";

type Deps = Pick<PaymentDeps, "bank" | "config">;
type ConfigDeps = Pick<PaymentDeps, "config">;

/** What a payment kind says about its consents without the bank's core. */
export const describedKind = (kind: PaymentKind, { config }: ConfigDeps) => ({
  id: kind.id,
  course: kind.consent,
  summarise(
    consent: Pick<Consent, "apiVersion" | "body" | "terms" | "createdAt">,
    now: Temporal.Instant,
    account?: BankAccount,
  ) {
    const isShared = (account?.signatoriesRequired ?? 1) > 1;
    const plan = { ...planOf(kind, consent, now, config), isShared };
    return kind.shape.summarise(plan, consent);
  },
});

/** The facts about each payment kind that a journey needs. */
export const paymentConsentKinds = (kinds: readonly PaymentKind[], deps: Deps): ConsentKind[] =>
  kinds.map((kind) => ({
    ...describedKind(kind, deps),
    scope: "payments",
    noun: kind.shape.noun,
    accountChoice: "one",
    namedDebtor: (consent) => {
      const { debtor } = requestOf(kind, consent);
      if (debtor) return accountReference(debtor);
      return consent.terms.file?.debtor ?? null;
    },
    payeeToCheck(consent) {
      const { creditor, international } = requestOf(kind, consent);
      return creditor && !international ? accountReference(creditor) : null;
    },
    debit(consent) {
      const { amount, international, schedule } = requestOf(kind, consent);
      const money = amount?.money;
      if (!money || international || schedule) return null;
      const charged = debtorCharges(consent.terms, money.currency);
      return { ...money, amountMinor: money.amountMinor + charged };
    },
    whyNotEligible: (consent, account) => {
      const why = notOpenText(account.status);
      if (why) return `This account is ${why}.`;
      // flexible savings accounts are payment accounts too. Source: FCA PERG section 15.3
      const { notForPayments } = aboutKind(account.accountSubType);
      if (notForPayments) return `Payments cannot be made from ${notForPayments} here.`;
      return kind.shape.whyOtherCurrency(kind, consent, account);
    },
    // Source: P-092, D-401-25.
    whyNotSignable: (consent, account) => {
      const several = "Payments from this account must be approved by more than one person.";
      if (kind.shape.hasOneSignatory && account.signatoriesRequired > 1) return several;
      const { type } = requestOf(kind, consent).authorisation;
      if (fitsAuthorisationType(type, account)) return null;
      return type === "Single" ? several : "This payment must be approved by more than one person.";
    },
    whyNotNow: (consent, now) => whyNotNow(kind, deps, consent, now),
    closesAt: (consent) =>
      limitsOf(kind, deps, consent)
        .map(({ at }) => at)
        .sort(Temporal.Instant.compare)[0] ?? null,
    review: {
      isNeeded: ({ terms }, account) =>
        kind.shape.price?.dependsOnAccount({ kind, terms }) === true ||
        (account?.signatoriesRequired ?? 1) > 1,
      more: async (consent, account, { customerId, now }) => {
        const plan = planOf(kind, consent, now, deps.config);
        const [rows, notes] = await Promise.all([
          kind.shape.price?.rows(plan, account, deps.bank) ?? [],
          signatureNotes(kind.shape.noun, account, deps.bank, customerId),
        ]);
        return { rows, notes };
      },
    },
  }));

/**
 * The note that others must approve too. Source: customer experience guidelines, Payment Initiation
 * Services.
 */
async function signatureNotes(
  noun: RequestNoun,
  { accountId, signatoriesRequired }: BankAccount,
  bank: Bank,
  customerId: string | null,
): Promise<string[]> {
  if (signatoriesRequired < 2) return [];
  const names = await namesOfOthers(bank, accountId, customerId);
  return [
    `Payments from this account must be approved by ${signatoriesRequired} people. Once you have ` +
      `approved this ${noun}, we ${untilApproved(noun, signatoriesRequired - 1, names)}`,
  ];
}

/** A time from which a consent cannot be authorised, and why. */
type Limit = { at: Temporal.Instant; reason: StatusReason };

function limitsOf(kind: PaymentKind, { config }: ConfigDeps, consent: Consent): Limit[] {
  const asked = requestOf(kind, consent);
  const { paths } = readingFormat(kind, consent.apiVersion);
  const { terms } = consent;
  const limits: Limit[] = [];
  const add = (at: Temporal.Instant | null | undefined, reason: StatusReason, path?: string) => {
    if (at) limits.push({ at, reason: path === undefined ? reason : { ...reason, path } });
  };
  const { cutOffPassed, rateExpired, dateCome, completionPassed } = statusReasons;
  if (cutOffOf(kind, config).strategy === "reject") add(terms.cutOff, cutOffPassed);
  const ratePath = "Data.ExchangeRateInformation.ExpirationDateTime";
  add(terms.exchangeRate?.expiresAt, rateExpired, ratePath);
  if (kind.timing.when === "onDate") {
    add(lastDayEnd(kind.timing, asked), dateCome, paths.executionDate);
  }
  const { completion } = asked.authorisation;
  add(completion && toInstant(completion), completionPassed, paths["authorisation.completion"]);
  return limits;
}

function whyNotNow(
  kind: PaymentKind,
  { config }: ConfigDeps,
  consent: Consent,
  now: Temporal.Instant,
): StatusReason | null {
  const own = kind.shape.whyNotNow?.(consent.terms) ?? null;
  if (own) return own;
  const over = limitsOf(kind, { config }, consent).find(({ at }) => hasCome(at, now));
  if (over) return over.reason;
  const asked = requestOf(kind, consent);
  const { paths } = readingFormat(kind, consent.apiVersion);
  const none = { debtor: null, exchange: null, contracts: [], schemeStatus: null };
  const checked = { kind, request: asked, now, config, ...none };
  const faults = (kind.orderChecks ?? []).flatMap((check) => check(checked));
  const [fault] = locatedFaults(faults, paths);
  return fault ? statusReason(fault.code, fault.message, fault.path) : null;
}

/** When the last day ends on which a payment on the requested date can be authorised. */
function lastDayEnd(
  { optional }: Extract<Timing, { when: "onDate" }>,
  { executionDate }: PaymentRequest,
): Temporal.Instant | null {
  if (!executionDate) return null;
  const day = executionDate.local.toPlainDate().add({ days: optional ? 1 : 0 });
  return day.toZonedDateTime(executionDate.offset ?? "UTC").toInstant();
}
