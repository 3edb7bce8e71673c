import type { BankAccount } from "#src/bank/port.ts";
import type { FileTerms } from "#src/consents/terms.ts";
import { currencyText } from "#src/pages/wording.ts";
import { fileOperations } from "#src/payments/files/file-operations.ts";
import {
  fileNotes,
  filePriceRows,
  fileRows,
  summariseFile,
} from "#src/payments/files/file-summary.ts";
import { reportOperations } from "#src/payments/files/report-operations.ts";
import { defineOrderShape } from "#src/payments/kinds/payment-kind.ts";
import { cutOffNotes, refundNotes, whyOtherCurrency } from "#src/payments/shapes/summary-parts.ts";

/** The payments of a file, which the TPP uploads for the consent. */
export const ofFile = defineOrderShape({
  use: "once",
  noun: "file of payments",
  isPricedOnUpload: true,
  payments: () => [],
  summarise(plan, { terms }) {
    const { request, now } = plan;
    return {
      ...summariseFile(request, terms),
      rows: fileRows(request, terms),
      notes: [
        ...fileNotes(request, terms, now),
        ...cutOffNotes(plan, null),
        ...refundNotes(request),
      ],
    };
  },
  price: {
    dependsOnAccount: ({ terms }) => (terms.file?.abroad ?? 0) > 0,
    rows: (plan, account, bank) => filePriceRows(bank, plan, account),
  },
  whyOtherCurrency: (kind, consent, account) =>
    consent.terms.file
      ? whyNotPaidFrom(consent.terms.file, account)
      : whyOtherCurrency(kind, consent, account),
  consentOperations: (kind, deps) => fileOperations(kind, deps),
  orderOperations: (kind, deps) => reportOperations(kind, deps),
});

/** The reason why a file cannot be paid from an account in this currency; null if it can. */
const whyNotPaidFrom = (
  { accountCurrency }: FileTerms,
  { currency }: Pick<BankAccount, "currency">,
): string | null =>
  accountCurrency === null || accountCurrency === currency
    ? null
    : `The file must be paid from an account in ${currencyText(accountCurrency)}. ` +
      `This one is in ${currencyText(currency)}.`;
