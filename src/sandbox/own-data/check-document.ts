import { ibanOf } from "#src/sandbox/bank/account-numbers.ts";
import { penceOf } from "./amounts.ts";
import {
  type CustomerDocument,
  mostTransactions,
  type OwnAccount,
  type OwnTransaction,
} from "./document.ts";
import { dueDayOf, isCollectionOf, isPaymentOf, momentOf } from "./regular.ts";

/** What is wrong with a document: a code, where it is wrong, and what to do. */
export type DocumentFault = {
  code: "missing" | "unexpected" | "invalid" | "duplicate" | "unknown" | "taken" | "limit";
  path: string;
  message: string;
};

/** What the bank knows already. */
type KnownToBank = {
  now: Temporal.Instant;
  /** The logins of the bank's customers. */
  logins: ReadonlySet<string>;
  /** The account numbers that the document names and that accounts of the bank have. */
  numbers: ReadonlySet<string>;
};

type Complain = (code: DocumentFault["code"], path: string, message: string) => void;

const mostFaults = 50;
const cardExample = '{"scheme":"VISA","lastFour":"1234"}';
const orShift = "An import with shift moves all dates to that time.";

/** Lists what is wrong with a document that its schema has accepted; at most 50 faults. */
export function checkDocument(document: CustomerDocument, given: KnownToBank): DocumentFault[] {
  const faults: DocumentFault[] = [];
  const complain: Complain = (code, path, message) => {
    if (faults.length < mostFaults) faults.push({ code, path, message });
  };
  const { accounts, beneficiaries = [] } = document;
  refuseTwice(accounts, ({ key }) => key, "accounts", "key", complain);
  const numbered = accounts.filter(({ number }) => number !== undefined);
  refuseTwice(numbered, ({ number }) => number ?? "", "accounts", "number", complain);
  accounts.forEach((account, index) => {
    checkAccount(document, account, `accounts[${index}]`, given, complain);
  });
  const scheduled = accounts.flatMap(({ scheduledPayments = [] }, account) =>
    scheduledPayments.map((each, index) => ({
      ...each,
      path: `accounts[${account}].scheduledPayments[${index}]`,
    })),
  );
  refuseRepeated(
    scheduled.map(({ reference, path }) => ({ value: reference, path: `${path}.reference` })),
    complain,
  );
  refuseTwice(
    beneficiaries,
    (one) => one.identification,
    "beneficiaries",
    "identification",
    complain,
  );
  for (const [index, one] of beneficiaries.entries()) {
    checkNumber(one, `beneficiaries[${index}]`, complain);
  }
  const count = accounts.reduce((sum, { transactions = [] }) => sum + transactions.length, 0);
  if (count > mostTransactions) {
    complain(
      "limit",
      "accounts",
      `All accounts together can have ${mostTransactions} transactions.`,
    );
  }
  return faults;
}

function checkAccount(
  document: CustomerDocument,
  account: OwnAccount,
  path: string,
  given: KnownToBank,
  complain: Complain,
): void {
  const { number, openedOn, transactions = [], card, type } = account;
  if (number !== undefined && given.numbers.has(number)) {
    complain("taken", `${path}.number`, "Another account has this number. Leave it out for any.");
  }
  checkHolders(document, account, path, given, complain);
  const today = given.now.toZonedDateTimeISO("UTC").toPlainDate();
  const opened = openedOn === undefined ? null : dayOf(openedOn, `${path}.openedOn`, complain);
  if (opened && Temporal.PlainDate.compare(opened, today) > 0) {
    complain("invalid", `${path}.openedOn`, `Give a day until ${today}, the bank's day.`);
  }
  if ((type === "CreditCard" || type === "ChargeCard") && !card) {
    complain("missing", `${path}.card`, `A card account needs its card, such as ${cardExample}.`);
  }
  transactions.forEach((each, index) => {
    checkTransaction(
      account,
      each,
      `${path}.transactions[${index}]`,
      { opened, ...given },
      complain,
    );
  });
  checkLimit(account, path, complain);
  checkRegular(account, path, today, complain);
}

function checkHolders(
  { login }: CustomerDocument,
  { holders, signatoriesRequired = 1 }: OwnAccount,
  path: string,
  { logins }: KnownToBank,
  complain: Complain,
): void {
  if (holders) {
    refuseTwice(holders, (one) => one.login, `${path}.holders`, "login", complain);
    if (!holders.some((one) => one.login === login)) {
      complain("missing", `${path}.holders`, `The customer ${login} must be one of the holders.`);
    }
    holders.forEach((one, index) => {
      if (one.login === login || logins.has(one.login)) return;
      const where = `${path}.holders[${index}].login`;
      complain("unknown", where, "There is no such customer. Create that customer first.");
    });
  }
  if (signatoriesRequired > (holders?.length ?? 1)) {
    const message = "There cannot be more signatories than holders.";
    complain("limit", `${path}.signatoriesRequired`, message);
  }
}

function checkTransaction(
  { currency = "GBP" }: OwnAccount,
  { at, amount, status = "Booked", indicator, counterparty }: OwnTransaction,
  path: string,
  { now, opened }: { now: Temporal.Instant; opened: Temporal.PlainDate | null },
  complain: Complain,
): void {
  const instant = momentOf(at);
  if (instant === null) {
    complain(
      "invalid",
      `${path}.at`,
      "Give a date-time with an offset, such as 2026-11-21T09:30:00Z.",
    );
  } else if (status === "Booked" && Temporal.Instant.compare(instant, now) > 0) {
    complain("invalid", `${path}.at`, `It must be before ${now}, the bank's time. ${orShift}`);
  } else if (
    opened &&
    Temporal.Instant.compare(instant, opened.toZonedDateTime("UTC").toInstant()) < 0
  ) {
    complain("invalid", `${path}.at`, `It must be after the account was opened on ${opened}.`);
  }
  if (penceOf(amount) === 0) complain("invalid", `${path}.amount`, "It must be more than 0.");
  if (status === "Pending" && (indicator === "Credit" || currency !== "GBP")) {
    const message = "Only a debit of an account in GBP can be pending.";
    complain("invalid", `${path}.status`, message);
  }
  if (counterparty) checkNumber(counterparty, `${path}.counterparty`, complain);
}

/** Finds the first moment at which the account would be below its limit. */
function checkLimit(
  { transactions = [], balance, limit = "0" }: OwnAccount,
  path: string,
  complain: Complain,
): void {
  const lowest = -penceOf(limit);
  let left = penceOf(balance);
  const held = transactions.filter(({ status }) => status === "Pending");
  const pending = held.reduce((sum, { amount }) => sum + penceOf(amount), 0);
  if (left - pending < lowest) {
    complain("limit", `${path}.balance`, "It is lower than `limit` and pending debits allow.");
    return;
  }
  // backwards from today, because the balance is today's
  const booked = transactions
    .map((each, index) => ({ ...each, index, at: momentOf(each.at)?.epochMilliseconds ?? 0 }))
    .filter(({ status }) => status !== "Pending")
    .sort((a, b) => b.at - a.at || b.index - a.index);
  for (const { indicator, amount, index } of booked) {
    left += indicator === "Credit" ? -penceOf(amount) : penceOf(amount);
    if (left >= lowest) continue;
    const message =
      "Before it, the account would be below its `limit`. Raise the limit or the balance.";
    complain("limit", `${path}.transactions[${index}]`, message);
    return;
  }
}

function checkRegular(
  account: OwnAccount,
  path: string,
  today: Temporal.PlainDate,
  complain: Complain,
): void {
  const {
    currency = "GBP",
    directDebits = [],
    standingOrders = [],
    scheduledPayments = [],
  } = account;
  const { transactions = [] } = account;
  const pounds = [...directDebits, ...standingOrders].length > 0 && currency !== "GBP";
  if (pounds) {
    const message = "Direct debits and standing orders need an account in GBP.";
    complain("invalid", `${path}.currency`, message);
  }
  refuseTwice(directDebits, (one) => one.reference, `${path}.directDebits`, "reference", complain);
  directDebits.forEach((one, index) => {
    const where = `${path}.directDebits[${index}]`;
    if (penceOf(one.mostAmount ?? one.amount) < penceOf(one.amount) || penceOf(one.amount) === 0) {
      complain("invalid", `${where}.amount`, "It must be more than 0 and at most `mostAmount`.");
    }
    refuseSameDay(
      transactions.filter((each) => isCollectionOf(one, each)),
      one.dayOfMonth,
      where,
      complain,
    );
  });
  refuseTwice(
    standingOrders,
    (one) => `${one.payee.name} ${one.reference}`,
    `${path}.standingOrders`,
    "reference",
    complain,
  );
  standingOrders.forEach((one, index) => {
    const where = `${path}.standingOrders[${index}]`;
    if (!/^\d/.test(one.payee.number)) {
      complain(
        "invalid",
        `${where}.payee.number`,
        "A standing order needs a sort code and account number.",
      );
    }
    if (penceOf(one.amount) === 0)
      complain("invalid", `${where}.amount`, "It must be more than 0.");
    refuseSameDay(
      transactions.filter((each) => isPaymentOf(one, each)),
      one.dayOfMonth,
      where,
      complain,
    );
  });
  scheduledPayments.forEach((one, index) => {
    const where = `${path}.scheduledPayments[${index}]`;
    const on = dayOf(one.on, `${where}.on`, complain);
    if (on && Temporal.PlainDate.compare(on, today) <= 0) {
      complain("invalid", `${where}.on`, `Give a day after ${today}, the bank's day. ${orShift}`);
    }
    if (penceOf(one.amount) === 0)
      complain("invalid", `${where}.amount`, "It must be more than 0.");
    if (/^\d/.test(one.payee.number) !== (currency === "GBP")) {
      const message = "An account in GBP pays a sort code and account number, another one an IBAN.";
      complain("invalid", `${where}.payee.number`, message);
    }
  });
}

/** Refuses two payments of a regular payment for the same day. */
function refuseSameDay(
  paid: readonly OwnTransaction[],
  dayOfMonth: number,
  path: string,
  complain: Complain,
): void {
  const days = paid
    .map(({ at }) => momentOf(at))
    .filter((at) => at !== null)
    .map((at) => dueDayOf(at, dayOfMonth).toString());
  const twice = days.find((day, index) => days.indexOf(day) !== index);
  if (twice === undefined) return;
  complain(
    "duplicate",
    path,
    `Two transactions pay what was due on ${twice}. Change the reference of one.`,
  );
}

function checkNumber(
  { schemeName, identification }: { schemeName: string; identification: string },
  path: string,
  complain: Complain,
): void {
  const isRight =
    schemeName === "UK.OBIE.IBAN"
      ? /^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/.test(identification)
      : /^\d{14}$/.test(identification);
  if (isRight) return;
  const example = schemeName === "UK.OBIE.IBAN" ? ibanOf("00980012000417") : "00980012000417";
  complain(
    "invalid",
    `${path}.identification`,
    `It does not fit schemeName. An example is ${example}.`,
  );
}

function dayOf(text: string, path: string, complain: Complain): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    complain("invalid", path, "There is no such day.");
    return null;
  }
}

function refuseTwice<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  path: string,
  member: string,
  complain: Complain,
): void {
  const values = items.map((item, index) => ({
    value: keyOf(item),
    path: `${path}[${index}].${member}`,
  }));
  refuseRepeated(values, complain);
}

function refuseRepeated(
  values: readonly { value: string; path: string }[],
  complain: Complain,
): void {
  const seen = new Set<string>();
  for (const { value, path } of values) {
    if (seen.has(value)) complain("duplicate", path, "Another one has the same value.");
    seen.add(value);
  }
}
