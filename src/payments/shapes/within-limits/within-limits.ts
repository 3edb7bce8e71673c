import { statusReason } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import {
  defineOrderShape,
  type OrderShape,
  type Permission,
} from "#src/payments/kinds/payment-kind.ts";
import { anyPayee, permissionNotes } from "#src/payments/limits/use-words.ts";
import { accountReference } from "#src/payments/shapes/payment-draft.ts";
import { paymentOf } from "#src/payments/shapes/single/single.ts";
import {
  cutOffNotes,
  payeeOf,
  referenceRows,
  refundNotes,
  whyOtherCurrency,
} from "#src/payments/shapes/summary-parts.ts";

const contractEnded = statusReason("U042", "The contract between the bank and the TPP has ended.");

/** Orders of one payment each, of which a consent allows many within its limits. */
export const withinLimits = (permission: Permission): OrderShape<"within limits"> =>
  defineOrderShape({
    use: "within limits",
    noun: "payment permission",
    payments: (plan) => [paymentOf(plan)],
    summarise(plan, consent) {
      const { creditor } = plan.request;
      const limits = present(plan.request.limits, "the limits of a consent");
      const { amount, rows } = permission.words(limits, consent);
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
        notes: [
          ...permissionNotes({ limits, creditor }),
          ...cutOffNotes(plan, null),
          ...refundNotes(plan.request),
        ],
      };
    },
    whyOtherCurrency,
    // nobody could ask the others to approve each payment. Source: V-055
    hasOneSignatory: true,
    showsDebtor: true,
    whyNotNow: ({ vrpContract }) => (vrpContract?.endedAt === undefined ? null : contractEnded),
    permission,
  });
