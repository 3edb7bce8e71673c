import { confirmedDetails } from "#src/auth/login/confirming.ts";
import type { Beneficiary } from "#src/bank/port.ts";
import { actToConfirm, factsOfRows } from "#src/consents/approved-facts.ts";
import { present } from "#src/lib/assert.ts";
import { approvedText, approveText } from "#src/pages/approved-text.ts";
import type { OrderSummary } from "#src/pages/consent-summary.ts";
import type { ConfirmTexts } from "#src/pages/own-confirm.ts";
import { accountNumberText } from "#src/pages/wording.ts";
import { cancelOrder } from "#src/payments/execution/cancellation.ts";
import {
  listPaidCreditors,
  type PaidCreditor,
} from "#src/payments/execution/list-paid-creditors.ts";
import {
  decideMultiAuthorisation,
  type MultiAuthorisationResult,
} from "#src/payments/execution/multi-authorisation.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { cancellationGone, signatureGone } from "./order-gone.ts";
import type { OwnActs } from "./own-act.ts";
import { listOwnUpcoming, loadApproval, placedFacts } from "./own-payments.ts";
import type { Next } from "./visit.ts";

/** The page after the cancellation of a direct debit that had ended. */
export const mandateGone: Next = {
  goTo: "/bank/direct-debits",
  message: "This direct debit had already been cancelled.",
};

const cancelling = (noun: string): ConfirmTexts => ({
  title: `Cancel this ${noun}?`,
  go: "Yes, cancel it",
  leave: "Keep it",
});

const cancelledTexts = {
  payment: (what: string) => `The payment of ${what} has been cancelled.`,
  "standing order": (what: string) =>
    `The standing order of ${what} has been cancelled. We will make no further payments.`,
  "file of payments": () => "The file of payments has been cancelled. We will make none of them.",
};

/** An order that a further customer signs, and the account that pays. */
type Signed = { summary: OrderSummary; from: { label: string; number: string } };

const signingTexts: Record<SigningResult, (signed: Signed) => string> = {
  complete: (signed) => `${approvedOf(signed)} No more approvals are needed.`,
  signed: (signed) => `${approvedOf(signed)} Somebody else must approve it too.`,
  rejected: (signed) => `You have declined ${orderOf(signed)}. Nothing will be paid.`,
};

type SigningResult = Exclude<
  MultiAuthorisationResult,
  "notFound" | "notYours" | "notWaiting" | "alreadySigned"
>;

const approvedOf = ({ summary, from }: Signed): string =>
  approvedText("You have approved", summary, from);

/** A file has an account for each payment, and so none itself. */
const orderOf = ({ summary: { amount, payeeName, payeeAccount } }: Signed): string =>
  payeeAccount === "" ? `${payeeName}, ${amount} in total` : `${amount} to ${payeeName}`;

/** The page after a customer's decision on an order; null if the customer has no such order. */
export const afterSigning = (
  deps: OwnPagesDeps,
  result: MultiAuthorisationResult,
  { customerId, id, signed }: { customerId: string; id: string; signed: Signed },
): Next | null | Promise<Next> => {
  if (result === "notFound" || result === "notYours") return null;
  if (result === "notWaiting" || result === "alreadySigned") {
    return signatureGone(deps, customerId, id);
  }
  return { goTo: "/bank", message: signingTexts[result](signed) };
};

/**
 * The acts on the bank's own pages that need a linked factor: those that move money, stop it, or
 * make later payments easier. Reading, declining, and withdrawing trust or access need only the
 * login. Source: SCA-RTS articles 5 and 13.
 */
export const ownActs: OwnActs = {
  signature: {
    textsOf({ amount }, before) {
      // a challenge of an earlier release does not have what the page has shown
      const summary: Parameters<typeof approveText>[0] = (before as Signed | null)?.summary ?? {
        amount,
        rows: [],
      };
      const title = `Approve this ${summary.noun ?? "payment"}?`;
      return { title, go: approveText(summary), leave: "Not now" };
    },
    async actOf(deps, customerId, id) {
      const found = await loadApproval(deps, id, customerId);
      if (!found) return "gone";
      const { amount, payeeName: name, payeeAccount: account } = found.summary;
      const { termsHash, from, facts } = found;
      const paidFrom = { label: "From", value: [from.label, from.number].join(", ") };
      const details = [paidFrom, ...confirmedDetails(found.summary)];
      const party = { name, account };
      const subject = { act: "signature", id, amount, payee: party, details, termsHash } as const;
      return actToConfirm(subject, facts);
    },
    async perform(deps, customerId, { id }, { authentication: how, showings }) {
      // the page of the order has shown it, with the price of that time; a challenge of an earlier
      // release does not have it, and later the order waits no more
      const shown = showings[0]?.shown ?? (await loadApproval(deps, id, customerId));
      const { acr, amr, method } = how;
      const authentication = { acr, amr, method, showings };
      const given = { orderId: id, customerId, decision: "approve" as const, authentication };
      const result = await decideMultiAuthorisation(deps, given);
      if (result === "complete") deps.wakeEngine();
      if (shown === null) return signatureGone(deps, customerId, id);
      return afterSigning(deps, result, { customerId, id, signed: shown as Signed });
    },
    back: "/bank",
    gone: signatureGone,
  },

  "cancel order": {
    textsOf: ({ noun }) => cancelling(noun),
    async actOf(deps, customerId, id) {
      const upcoming = await listOwnUpcoming(deps, customerId);
      const payment = upcoming.find((each) => each.id === id);
      if (!payment || payment.fixed) return "gone";
      const { payee, rows, noun = "payment", order } = payment;
      const amount = payment.rule ?? payment.amount;
      const details = rows.map(({ label, value }) => ({ label, value }));
      const subject = { act: "cancel order", id, noun, amount, payee, details } as const;
      const { executeAt } = order;
      const facts = { ...placedFacts(order), executeAt, rows: factsOfRows(rows) };
      return actToConfirm(subject, facts);
    },
    async perform(deps, customerId, { id, noun, amount, payee }) {
      const result = await cancelOrder(deps, { orderId: id, customerId });
      if (result === "notFound" || result === "notYours") return null;
      if (result === "tooLate") return cancellationGone(deps, customerId, id);
      return { goTo: "/bank", message: cancelledTexts[noun](`${amount} to ${payee}`) };
    },
    back: "/bank",
    gone: cancellationGone,
  },

  "cancel direct debit": {
    textsOf: () => cancelling("direct debit"),
    async actOf({ bank }, customerId, id) {
      const all = await bank.listDirectDebits(customerId);
      const found = all.find(({ directDebitId }) => directDebitId === id);
      if (!found) return null;
      if (!found.isActive) return "gone";
      const { originatorName: originator, mandateReference: reference, accountId } = found;
      const facts = { id, originator, reference };
      return actToConfirm({ act: "cancel direct debit", ...facts }, { ...facts, accountId });
    },
    async perform({ bank }, customerId, { id, originator }) {
      const ended = await bank.cancelDirectDebit(customerId, id);
      const message = `The direct debit of ${originator} has been cancelled. Nothing more will be collected.`;
      return ended ? { goTo: "/bank/direct-debits", message } : mandateGone;
    },
    back: "/bank/direct-debits",
    gone: () => mandateGone,
  },

  "add passkey": {
    textsOf: () => ({ title: "Add this passkey?", go: "Continue", leave: "Don’t add it" }),
    async actOf({ passkeys }, customerId, id) {
      const name = (await passkeys?.prepared(customerId, id)) ?? null;
      return name === null ? null : actToConfirm({ act: "add passkey", id, name }, { id, name });
    },
    async perform({ passkeys }, customerId, { id }) {
      const isAllowed = await passkeys?.allow(customerId, id);
      return isAllowed ? { goTo: `/bank/passkeys/${id}/add` } : null;
    },
    back: "/bank/passkeys",
    gone: () => ({ goTo: "/bank/passkeys" }),
  },

  "remove passkey": {
    textsOf: () => ({ title: "Remove this passkey?", go: "Remove passkey", leave: "Keep passkey" }),
    async actOf({ passkeys }, customerId, id) {
      const kept = (await passkeys?.list(customerId)) ?? [];
      const found = kept.find(({ passkeyId }) => passkeyId === id);
      if (!found) return null;
      const { name } = found;
      return actToConfirm({ act: "remove passkey", id, name }, { id, name });
    },
    async perform({ passkeys }, customerId, { id, name }) {
      const isRemoved = await passkeys?.remove(customerId, id);
      const message = `We have removed the passkey ${name}.`;
      return isRemoved ? { goTo: "/bank/passkeys", message } : null;
    },
    back: "/bank/passkeys",
    gone: () => ({ goTo: "/bank/passkeys" }),
  },

  "save payee": {
    textsOf: () => ({ title: "Save this payee?", go: "Save payee", leave: "Don’t save" }),
    async actOf(deps, customerId, id) {
      const found = await findPaid(deps, customerId, id);
      if (!found) return null;
      const subject = { act: "save payee", id, payee: partyOf(found) } as const;
      return actToConfirm(subject, { id, ...accountOf(found) });
    },
    async perform(deps, customerId, { id, payee }) {
      const found = present(await findPaid(deps, customerId, id), "the payment");
      const saved = await deps.bank.saveBeneficiary(customerId, found);
      const message = saved
        ? `${payee.name} is now on your list of payees.`
        : `${payee.name} was on your list of payees already.`;
      return { goTo: "/bank/payees", message };
    },
    back: "/bank/payees",
    gone: () => ({ goTo: "/bank/payees" }),
  },

  "trust payee": {
    textsOf: () => ({
      title: "Trust this payee?",
      go: "Trust this payee",
      leave: "Don’t trust it",
    }),
    async actOf({ bank }, customerId, id) {
      const all = await bank.listBeneficiaries(customerId);
      const found = all.find(({ beneficiaryId }) => beneficiaryId === id);
      if (!found) return null;
      const subject = { act: "trust payee", id, payee: partyOf(found) } as const;
      return actToConfirm(subject, { id, ...accountOf(found) });
    },
    async perform({ bank }, customerId, { id, payee }) {
      const changed = await bank.trustBeneficiary(customerId, id, true);
      return changed ? { goTo: "/bank/payees", message: `You now trust ${payee.name}.` } : null;
    },
    back: "/bank/payees",
    gone: () => ({ goTo: "/bank/payees" }),
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

const accountOf = ({ creditor, creditorBic }: Payee): Payee => ({ creditor, creditorBic });

function partyOf(payee: Payee): { name: string; account: string } {
  const { name, number: account } = partyText(payee);
  return { name, account };
}
