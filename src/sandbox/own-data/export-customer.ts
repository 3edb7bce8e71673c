import type { CardUse } from "#src/account-store/transaction.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { listUpcoming } from "#src/payments/execution/cancellation.ts";
import type { PlacedOrder } from "#src/payments/order/placed-order.ts";
import type { TransactionType } from "#src/sandbox/bank/transaction-codes.ts";
import { ownChannel } from "#src/sandbox/personas/store-own-orders.ts";
import { productNamed } from "#src/sandbox/products/list-products.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { amountOf } from "./amounts.ts";
import {
  type CustomerDocument,
  mostPerAccount,
  mostTransactions,
  type OwnAccount,
  type OwnTransaction,
} from "./document.ts";

type Deps = { database: Database; bank: Bank; clock: Clock };

/**
 * Returns a customer with accounts as a document, from which another bank can make the same
 * customer; null if there is no such customer. What TPPs have made, such as consents and standing
 * orders, is not part of it, but the transactions of their payments are.
 */
export async function exportCustomer(
  { database, bank, clock }: Deps,
  login: string,
): Promise<CustomerDocument | null> {
  const customer = await first<CustomerRow>(
    database,
    sql`select c.customer_id as "customerId", c.name, c.kind, o.description, p.contact
      from customer c left join own_customer o on o.customer_id = c.customer_id
      left join party p on p.party_id = c.customer_id
      where c.login = ${login} and o.deleted_at is null`,
  );
  if (!customer) return null;
  const { customerId, name, kind, description } = customer;
  const orders = await listUpcoming({ database, bank }, customerId);
  const own = orders.filter(({ clientId }) => clientId === ownChannel.clientId);
  const accounts = await accountsOf(database, customerId);
  const documents: OwnAccount[] = [];
  const most = Math.min(mostPerAccount, Math.floor(mostTransactions / accounts.length));
  for (const account of accounts) {
    documents.push(await accountDocument(database, { name, account, orders: own, most }));
  }
  const beneficiaries = await bank.listBeneficiaries(customerId);
  const contact = contactOf(customer.contact);
  return {
    login,
    name,
    ...(kind === "personal" ? {} : { kind }),
    ...(description === null ? {} : { description }),
    ...(contact ? { contact } : {}),
    asOf: clock.now().toString({ smallestUnit: "second" }),
    accounts: documents,
    ...filled(
      "beneficiaries",
      beneficiaries.flatMap(({ creditor, reference, isTrusted }) =>
        isExported(creditor) && creditor.name !== null
          ? [
              {
                ...named(creditor),
                name: creditor.name,
                ...present({ reference }),
                ...(isTrusted ? { isTrusted } : {}),
              },
            ]
          : [],
      ),
    ),
  };
}

type Contact = NonNullable<CustomerDocument["contact"]>;
type CustomerRow = {
  customerId: string;
  name: string;
  kind: "personal" | "business";
  description: string | null;
  contact: (Record<string, unknown> & { address?: Record<string, unknown> }) | null;
};

const contactWords = ["fullLegalName", "email", "phone", "mobile"];
const addressWords = [
  "buildingNumber",
  "streetName",
  "townName",
  "countrySubDivision",
  "postCode",
  "country",
];

function contactOf(stored: CustomerRow["contact"]): Contact | null {
  if (!stored) return null;
  const { address } = stored;
  const contact = {
    ...picked(stored, contactWords),
    ...(address ? { address: picked(address, addressWords) } : {}),
  };
  return Object.keys(contact).length > 0 ? contact : null;
}

const picked = (from: Record<string, unknown>, names: readonly string[]): object =>
  Object.fromEntries(
    names.flatMap((name) => (typeof from[name] === "string" ? [[name, from[name]]] : [])),
  );

/** The members that are not null. */
const present = <Members extends Record<string, unknown>>(members: Members) =>
  // safe: only nulls are left out
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as {
    [Name in keyof Members]?: NonNullable<Members[Name]>;
  };

/** A list as a member, unless it is empty. */
const filled = <Name extends string, Item>(name: Name, items: Item[]) =>
  // safe: the only member has this name
  (items.length > 0 ? { [name]: items } : {}) as { [Each in Name]?: Item[] };

type Account = {
  accountId: string;
  type: OwnAccount["type"];
  currency: NonNullable<OwnAccount["currency"]>;
  nickname: string | null;
  product: NonNullable<OwnAccount["product"]> | null;
  holderName: string;
  holders: NonNullable<OwnAccount["holders"]>;
  signatoriesRequired: number;
  number: string | null;
  maskedPan: string | null;
  openedOn: Temporal.PlainDate;
  limit: bigint;
  balance: bigint;
};

const accountsOf = (on: Queryable, customerId: string) =>
  on.query<Account>(sql`
    select a.account_id as "accountId", a.account_sub_type as type, a.currency, a.nickname,
      a.description as product, a.holder_name as "holderName",
      a.signatories_required as "signatoriesRequired", a.sort_code_account_number as number,
      a.masked_pan as "maskedPan", a.opened_on as "openedOn",
      l.overdraft_limit_minor as "limit", l.balance_minor as balance,
      (select json_agg(json_build_object('login', c.login, 'role', o.role) order by c.login)
        from account_holder o join customer c on c.customer_id = o.customer_id
        where o.account_id = a.account_id) as holders
    from account_holder h join account a on a.account_id = h.account_id
    join ledger_account l on l.account_id = a.account_id
    where h.customer_id = ${customerId} and a.status <> 'Deleted'
    order by a.opened_on, a.account_id`);

async function accountDocument(
  on: Queryable,
  given: {
    name: string;
    account: Account;
    orders: readonly PlacedOrder[];
    most: number;
  },
): Promise<OwnAccount> {
  const { name, account, orders } = given;
  const { accountId, type, currency, nickname, product, holderName, holders } = account;
  const { number, maskedPan, openedOn, limit, balance } = account;
  // a deleted customer may have left too few
  const signatoriesRequired = Math.min(account.signatoriesRequired, holders.length);
  const transactions = await transactionsOf(on, accountId, given.most);
  const card = transactions.find((one) => one.cardScheme)?.cardScheme ?? "VISA";
  const isAlone = holders.length === 1 && holders[0]?.role === "owner";
  const placed = orders.filter(({ debtorAccountId }) => debtorAccountId === accountId);
  const directDebits = await directDebitsOf(on, accountId);
  return {
    key: keyOf(accountId),
    type,
    ...(currency === "GBP" ? {} : { currency }),
    ...present({ nickname }),
    ...(product !== null && productNamed(product) ? { product } : {}),
    ...(holderName === name ? {} : { holderName }),
    ...(isAlone ? {} : { holders }),
    ...(signatoriesRequired === 1 ? {} : { signatoriesRequired }),
    ...present({ number }),
    ...(maskedPan ? { card: { scheme: card, lastFour: maskedPan.slice(-4) } } : {}),
    openedOn: openedOn.toString(),
    ...(limit > 0n ? { limit: amountOf(limit) } : {}),
    balance: amountOf(balance),
    ...filled("transactions", transactions.map(transactionDocument)),
    ...filled("directDebits", directDebits),
    ...filled("standingOrders", placed.flatMap(standingOrderDocument)),
    ...filled("scheduledPayments", placed.flatMap(scheduledDocument)),
  };
}

/** The part of an account's id that names it: what follows `acc-` and, in an own one, the login. */
const keyOf = (accountId: string): string => accountId.replace(/^acc-(?:[a-z0-9]+-)?/, "");

type StoredTransaction = {
  indicator: "Credit" | "Debit";
  status: "Booked" | "Pending";
  bookedAt: Temporal.Instant;
  amountMinor: bigint;
  code: TransactionType | null;
  reference: string | null;
  information: string | null;
  merchantName: string | null;
  categoryCode: string | null;
  cardScheme: CardUse["scheme"] | null;
  authorisation: CardUse["authorisation"];
  lastFour: string | null;
} & Record<"schemeName" | "identification" | "partyName", string | null>;

async function transactionsOf(
  on: Queryable,
  accountId: string,
  most: number,
): Promise<StoredTransaction[]> {
  const rows = await on.query<StoredTransaction>(sql`
    select t.indicator, t.status, t.booked_at as "bookedAt", t.amount_minor as "amountMinor",
      t.bank_code as code, t.reference, t.information, t.merchant_name as "merchantName",
      t.merchant_category_code as "categoryCode", t.card_scheme as "cardScheme",
      t.card_authorisation as authorisation, t.card_ending as "lastFour",
      t.party_scheme as "schemeName", t.party_identification as identification,
      t.party_name as "partyName"
    from account_transaction t
    where t.account_id = ${accountId} and t.status in ('Booked', 'Pending')
    order by t.booked_at desc, t.transaction_id desc limit ${most}::integer`);
  return rows.reverse();
}

function transactionDocument(one: StoredTransaction): OwnTransaction {
  const { merchantName, categoryCode, cardScheme, authorisation, lastFour } = one;
  const { schemeName, identification, partyName } = one;
  const counterparty = schemeName && identification ? { schemeName, identification } : null;
  return {
    at: one.bookedAt.toString(),
    amount: amountOf(one.amountMinor),
    indicator: one.indicator,
    ...present({ type: one.code }),
    text: one.information ?? one.code ?? one.indicator,
    ...present({ reference: one.reference }),
    ...(one.status === "Pending" ? { status: one.status } : {}),
    ...(counterparty && isExported(counterparty)
      ? { counterparty: { ...named(counterparty), ...present({ name: partyName }) } }
      : {}),
    ...(merchantName ? { merchant: { name: merchantName, ...present({ categoryCode }) } } : {}),
    ...(cardScheme
      ? {
          card: { scheme: cardScheme, lastFour: lastFour ?? "0000", ...present({ authorisation }) },
        }
      : {}),
  };
}

type Numbered = { schemeName: string; identification: string };

const schemeNames = ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"] as const;
type ExportedScheme = (typeof schemeNames)[number];

/** Whether a document can name an account of this scheme. */
const isExported = (account: Numbered): boolean =>
  schemeNames.some((name) => name === account.schemeName);

const named = ({ schemeName, identification }: Numbered) => ({
  // safe: isExported was asked
  schemeName: schemeName as ExportedScheme,
  identification,
});

/** The active mandates of an account, without those that collect what is owed on a card. */
async function directDebitsOf(on: Queryable, accountId: string) {
  const rows = await on.query<{
    reference: string;
    originator: string;
    dayOfMonth: number;
    least: bigint;
    most: bigint;
  }>(sql`
    select d.mandate_reference as reference, d.originator_name as originator,
      m.day_of_month as "dayOfMonth", m.least_minor as least, m.most_minor as most
    from direct_debit d join sandbox_mandate m on m.direct_debit_id = d.direct_debit_id
    where d.account_id = ${accountId} and d.status = 'Active' and m.least_minor is not null
    order by d.direct_debit_id`);
  return rows.map(({ least, most, ...row }) => ({
    ...row,
    amount: amountOf(least),
    ...(most === least ? {} : { mostAmount: amountOf(most) }),
  }));
}

const payeeOf = ({ payment }: PlacedOrder) => ({
  name: payment.creditor?.name ?? payment.creditor?.identification ?? "",
  number: payment.creditor?.identification ?? "",
});

function standingOrderDocument({ schedule, ...order }: PlacedOrder) {
  const { rhythm, amounts } = schedule ?? {};
  if (rhythm?.unit !== "month" || !amounts) return [];
  return [
    {
      payee: payeeOf({ schedule: schedule ?? null, ...order }),
      amount: amountOf(amounts.recurring.amountMinor),
      reference: order.payment.reference ?? "",
      dayOfMonth: rhythm.day,
    },
  ];
}

function scheduledDocument(order: PlacedOrder) {
  const { schedule, file, payment } = order;
  if (schedule || file || !payment.executeAt) return [];
  return [
    {
      on: payment.executeAt.toZonedDateTimeISO("UTC").toPlainDate().toString(),
      payee: payeeOf(order),
      amount: amountOf(payment.amount.amountMinor),
      reference: payment.reference ?? "",
    },
  ];
}
