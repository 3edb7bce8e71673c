import type { OwnFrame } from "#src/pages/own-frame.ts";
import {
  cancelDirectDebitPage,
  directDebitsPage,
  payeePage,
  payeesPage,
  removePayeePage,
  savePayeePage,
} from "#src/pages/own-regular-payments.ts";

/** The pages of direct debits and payees. */
export function regularPages(frame: OwnFrame, name: string): Record<string, string> {
  const directDebit = {
    id: "1",
    originator: name,
    reference: name,
    account: name,
    isActive: true,
    next: "3 December 2026",
    previous: { amount: "£31.20", date: "3 November 2026" },
  };
  const ended = { ...directDebit, isActive: false, next: null, previous: null };
  const party = { id: "1", name, number: name };
  const payee = { ...party, reference: name, isTrusted: true };
  const quiet = { ...frame, message: null };
  return {
    directDebits: directDebitsPage({ ...frame, directDebits: [directDebit, ended] }),
    noDirectDebits: directDebitsPage({ ...quiet, directDebits: [] }),
    cancelDirectDebit: cancelDirectDebitPage({ ...quiet, directDebit }),
    payees: payeesPage({
      ...frame,
      payees: [payee, { ...payee, isTrusted: false, reference: null }],
      paid: [{ ...party, lastPaid: name }],
    }),
    noPayees: payeesPage({ ...quiet, payees: [], paid: [] }),
    payee: payeePage({ ...quiet, payee }),
    untrustedPayee: payeePage({ ...quiet, payee: { ...payee, isTrusted: false } }),
    removePayee: removePayeePage({ ...quiet, payee }),
    savePayee: savePayeePage({
      ...quiet,
      payee: { ...party, lastPaid: name },
      reference: name,
    }),
  };
}
