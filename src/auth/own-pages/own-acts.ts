import { confirmedDetails } from "#src/auth/login/confirming.ts";
import type { Beneficiary } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { accountNumberText } from "#src/pages/wording.ts";
import { cancelOrder } from "#src/payments/execution/cancellation.ts";
import {
  listPaidCreditors,
  type PaidCreditor,
} from "#src/payments/execution/list-paid-creditors.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import type { OwnActs } from "./confirm.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { listOwnUpcoming, loadApproval } from "./own-payments.ts";

/**
 * The acts on the bank's own pages that need a linked factor: those that move money, stop it, or
 * make later payments easier. Reading, declining, and withdrawing trust or access need only the
 * login. Source: SCA-RTS articles 5 and 13.
 */
export const ownActs: OwnActs = {
  signature: {
    async subjectOf(deps, customerId, id) {
      const found = await loadApproval(deps, id, customerId);
      if (!found) return "gone";
      const { amount, payeeName: name, payeeAccount: account } = found.summary;
      const { termsHash } = found;
      const details = confirmedDetails(found.summary);
      return { act: "signature", id, amount, payee: { name, account }, details, termsHash };
    },
    async perform(deps, customerId, orderId) {
      const given = { orderId, customerId, decision: "approve" as const };
      const result = await decideMultiAuthorisation(deps, given);
      if (result === "notFound" || result === "notYours") return null;
      if (result === "complete") deps.wakeEngine();
      return `/bank?done=${result}`;
    },
    back: "/bank",
    gone: "/bank?done=notWaiting",
  },

  "cancel order": {
    async subjectOf(deps, customerId, id) {
      const upcoming = await listOwnUpcoming(deps, customerId);
      const payment = upcoming.find((each) => each.id === id);
      if (!payment || payment.fixed) return "gone";
      const { amount, payee, detail } = payment;
      return { act: "cancel order", id, amount, payee, detail };
    },
    async perform(deps, customerId, orderId) {
      const result = await cancelOrder(deps, { orderId, customerId });
      return result === "notFound" || result === "notYours" ? null : `/bank?done=${result}`;
    },
    back: "/bank",
    gone: "/bank?done=tooLate",
  },

  "cancel direct debit": {
    async subjectOf({ bank }, customerId, id) {
      const all = await bank.listDirectDebits(customerId);
      const found = all.find(({ directDebitId }) => directDebitId === id);
      if (!found) return null;
      if (!found.isActive) return "gone";
      const { originatorName: originator, mandateReference: reference } = found;
      return { act: "cancel direct debit", id, originator, reference };
    },
    async perform({ bank }, customerId, id) {
      const ended = await bank.cancelDirectDebit(customerId, id);
      return `/bank/direct-debits?done=${ended ? "mandateEnded" : "mandateGone"}`;
    },
    back: "/bank/direct-debits",
    gone: "/bank/direct-debits?done=mandateGone",
  },

  "save payee": {
    async subjectOf(deps, customerId, id) {
      const found = await findPaid(deps, customerId, id);
      return found ? { act: "save payee", id, payee: partyOf(found) } : null;
    },
    async perform(deps, customerId, id) {
      const found = present(await findPaid(deps, customerId, id), "the payment");
      const saved = await deps.bank.saveBeneficiary(customerId, found);
      return `/bank/payees?done=${saved ? "saved" : "known"}`;
    },
    back: "/bank/payees",
    gone: "/bank/payees",
  },

  "trust payee": {
    async subjectOf({ bank }, customerId, id) {
      const all = await bank.listBeneficiaries(customerId);
      const found = all.find(({ beneficiaryId }) => beneficiaryId === id);
      return found ? { act: "trust payee", id, payee: partyOf(found) } : null;
    },
    async perform({ bank }, customerId, id) {
      const changed = await bank.trustBeneficiary(customerId, id, true);
      return changed ? "/bank/payees?done=trusted" : null;
    },
    back: "/bank/payees",
    gone: "/bank/payees",
  },
};

/** A payee of the customer. */
export type Payee = Pick<Beneficiary, "creditor" | "creditorBic">;

/** The payment of this customer whose payee can be saved. */
export async function findPaid(
  deps: OwnPagesDeps,
  customerId: string,
  id: string,
): Promise<PaidCreditor | undefined> {
  const paid = await listPaidCreditors(deps, customerId);
  return paid.find(({ paymentId }) => paymentId === id);
}

/** The name of a payee on the pages. */
export function partyText({ creditor, creditorBic }: Payee): { name: string; number: string } {
  const { schemeName, identification, name } = creditor;
  const account = accountNumberText(schemeName, identification);
  const number = creditorBic ? `${account} at ${creditorBic}` : account;
  return { name: name ?? number, number };
}

function partyOf(payee: Payee): { name: string; account: string } {
  const { name, number: account } = partyText(payee);
  return { name, account };
}
