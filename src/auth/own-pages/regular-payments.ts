import { hasPart } from "#src/bank/parts.ts";
import type { BankAccount, Beneficiary, DirectDebit } from "#src/bank/port.ts";
import {
  cancelDirectDebitPage,
  directDebitsPage,
  type OwnDirectDebit,
  type OwnPayee,
  type PaidPayee,
  payeePage,
  payeesPage,
  removePayeePage,
  savePayeePage,
} from "#src/pages/own-regular-payments.ts";
import { dateText, moneyText } from "#src/pages/wording.ts";
import {
  listPaidCreditors,
  type PaidCreditor,
} from "#src/payments/execution/list-paid-creditors.ts";
import { confirmAct } from "./confirm.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { findPaid, mandateGone, ownActs, type Payee, partyText } from "./own-acts.ts";
import { accountText } from "./own-payments.ts";
import type { PageAnswer, Visit, VisitRoutes } from "./visit.ts";

/**
 * The pages of direct debits, which can be cancelled, and of payees, below `/bank`, if the bank has
 * them.
 */
export function registerRegularPayments({ get, post }: VisitRoutes, { bank }: OwnPagesDeps): void {
  if (hasPart(bank, "mandates")) {
    get("/direct-debits", directDebits);
    get("/direct-debits/:id", directDebit);
    post("/direct-debits/:id", decideDirectDebit);
  }
  if (!hasPart(bank, "payees")) return;
  get("/payees", payees);
  get("/paid/:id", paidCreditor);
  post("/paid/:id", decidePaid);
  get("/payees/:id", payee);
  post("/payees/:id", decidePayee);
  get("/payees/:id/remove", removal);
  post("/payees/:id/remove", decideRemoval);
}

async function directDebits(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const all = await listOwnDirectDebits(deps, visit.customerId);
  return { page: directDebitsPage({ ...visit.frame, directDebits: all }) };
}

async function directDebit(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const all = await listOwnDirectDebits(deps, visit.customerId);
  const found = all.find(({ id }) => id === visit.params.id);
  if (!found) return null;
  if (!found.isActive) return mandateGone;
  return { page: cancelDirectDebitPage({ ...visit.frame, directDebit: found }) };
}

async function decideDirectDebit(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  if (visit.form.get("decision") !== "stop") return { goTo: "/bank/direct-debits" };
  return confirmAct(deps, ownActs["cancel direct debit"], visit);
}

async function listOwnDirectDebits(
  { bank }: OwnPagesDeps,
  customerId: string,
): Promise<OwnDirectDebit[]> {
  const [all, accounts] = await Promise.all([
    bank.listDirectDebits(customerId),
    bank.listAccounts(customerId),
  ]);
  const texts = new Map(accounts.map((account) => [account.accountId, accountText(account).label]));
  return all.map((mandate) => ownDirectDebit(mandate, texts.get(mandate.accountId) ?? ""));
}

const ownDirectDebit = (mandate: DirectDebit, account: string): OwnDirectDebit => ({
  id: mandate.directDebitId,
  originator: mandate.originatorName,
  reference: mandate.mandateReference,
  account,
  isActive: mandate.isActive,
  next: mandate.nextAt ? dateText(mandate.nextAt) : null,
  previous: mandate.previous && {
    amount: moneyText(mandate.previous.amount.amountMinor, mandate.previous.amount.currency),
    date: dateText(mandate.previous.at),
  },
});

async function payees(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const [saved, accounts, paid] = await Promise.all([
    deps.bank.listBeneficiaries(visit.customerId),
    deps.bank.listAccounts(visit.customerId),
    listPaidCreditors(deps, visit.customerId),
  ]);
  const known = new Set([...saved.map(keyOf), ...ownKeys(accounts)]);
  const page = payeesPage({
    ...visit.frame,
    payees: saved.map(ownPayee),
    paid: paid.filter((each) => !known.has(keyOf(each))).map(paidPayee),
  });
  return { page };
}

// A payee is identified by the account, whatever its name.
const keyOf = ({ creditor, creditorBic }: Payee) =>
  JSON.stringify([
    creditor.schemeName,
    creditor.identification,
    creditor.secondaryIdentification ?? "",
    creditorBic ?? "",
  ]);

// A transfer between the customer's own accounts has no payee.
const ownKeys = (accounts: BankAccount[]): string[] =>
  accounts.flatMap(({ sortCodeAccountNumber, iban, secondaryIdentification = null }) =>
    [
      {
        schemeName: "UK.OBIE.SortCodeAccountNumber",
        identification: sortCodeAccountNumber ?? "",
        secondaryIdentification,
      },
      {
        schemeName: "UK.OBIE.IBAN",
        identification: iban ?? "",
        secondaryIdentification: null,
      },
    ].map((one) => keyOf({ creditor: { ...one, name: null }, creditorBic: null })),
  );

async function paidCreditor(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await findPaid(deps, visit.customerId, visit.params.id);
  if (!found) return null;
  const { reference } = found;
  return { page: savePayeePage({ ...visit.frame, payee: paidPayee(found), reference }) };
}

async function decidePaid(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await findPaid(deps, visit.customerId, visit.params.id);
  if (!found) return null;
  if (visit.form.get("decision") !== "save") return { goTo: "/bank/payees" };
  return confirmAct(deps, ownActs["save payee"], visit);
}

async function findPayee({ bank }: OwnPagesDeps, visit: Visit): Promise<OwnPayee | null> {
  const all = await bank.listBeneficiaries(visit.customerId);
  const found = all.find(({ beneficiaryId }) => beneficiaryId === visit.params.id);
  return found ? ownPayee(found) : null;
}

async function payee(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await findPayee(deps, visit);
  return found && { page: payeePage({ ...visit.frame, payee: found }) };
}

async function removal(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await findPayee(deps, visit);
  return found && { page: removePayeePage({ ...visit.frame, payee: found }) };
}

async function decideRemoval(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const { customerId, params, form } = visit;
  if (form.get("decision") !== "remove") return { goTo: `/bank/payees/${params.id}` };
  const found = await findPayee(deps, visit);
  if (!found || !(await deps.bank.removeBeneficiary(customerId, params.id))) return null;
  return { goTo: "/bank/payees", message: `${found.name} is no longer on your list of payees.` };
}

async function decidePayee(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const { customerId, params, form } = visit;
  const decision = form.get("decision");
  const found = await findPayee(deps, visit);
  if (!found) return null;
  if (decision === "trust") return confirmAct(deps, ownActs["trust payee"], visit);
  if (decision === "untrust") {
    if (!(await deps.bank.trustBeneficiary(customerId, params.id, false))) return null;
    return { goTo: "/bank/payees", message: `You no longer trust ${found.name}.` };
  }
  return { goTo: "/bank/payees" };
}

const ownPayee = (saved: Beneficiary): OwnPayee => ({
  id: saved.beneficiaryId,
  ...partyText(saved),
  reference: saved.reference,
  isTrusted: saved.isTrusted,
});

const paidPayee = (payment: PaidCreditor): PaidPayee => ({
  id: payment.paymentId,
  ...partyText(payment),
  lastPaid: `${moneyText(payment.amountMinor, payment.currency)} on ${dateText(payment.paidAt)}`,
});
