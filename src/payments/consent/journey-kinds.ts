import { namesOfOthers } from "#src/bank/other-signatories.ts";
import type { Bank, BankAccount } from "#src/bank/port.ts";
import { type Consent, type StatusReason, statusReason } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
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

function whyNotNow(
  kind: PaymentKind,
  { config }: ConfigDeps,
  consent: Consent,
  now: Temporal.Instant,
): StatusReason | null {
  const asked = requestOf(kind, consent);
  const { paths } = readingFormat(kind, consent.apiVersion);
  const { terms } = consent;
  const own = kind.shape.whyNotNow?.(terms) ?? null;
  if (own) return own;
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
  const [fault] = locatedFaults(faults, paths);
  if (fault) return statusReason(fault.code, fault.message, fault.path);
  const { completion } = asked.authorisation;
  if (!completion || !hasCome(toInstant(completion), now)) return null;
  const message = "The time for completing the authorisation has passed.";
  return statusReason("U042", message, paths["authorisation.completion"]);
}

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
