import { countOf, textOf } from "#src/lib/plain-text.ts";
import { judgeGoingOn, stopped } from "./judges.ts";
import type { BankAnswer, Misbehaviour, SentAnswer, Tools } from "./misbehaviour.ts";
import {
  createsConsent,
  createsPaymentConsent,
  isSame,
  type ObservedCall,
  objectOf,
  readsAccounts,
  readsOrder,
  readsTransactions,
  submitsOrder,
} from "./observed-call.ts";

// Answers that differ from what the standard and the bank's documents say.

type Body = { Data: Record<string, unknown>; [name: string]: unknown };

/** Changes the body of a successful answer; the function returns false if it changes nothing. */
const rewriting =
  (
    fits: (call: ObservedCall) => boolean,
    edit: (body: Body, call: ObservedCall, tools: Tools) => unknown,
  ): NonNullable<Misbehaviour["change"]> =>
  (call, answer, tools): SentAnswer | null => {
    if (call.status === null || call.status >= 300 || !fits(call)) return null;
    const body = objectOf(answer.body);
    if (!body || typeof body.Data !== "object" || body.Data === null) return null;
    return edit(body as Body, call, tools) === false ? null : withBody(answer, body);
  };

const withBody = (answer: BankAnswer, body: object): BankAnswer => ({
  ...answer,
  body: JSON.stringify(body),
});

type Visit = (name: string, value: string, holder: Record<string, unknown>) => boolean;

/** Visits every text member of a value. Returns whether one of them was changed. */
function eachText(value: unknown, visit: Visit): boolean {
  if (typeof value !== "object" || value === null) return false;
  let isChanged = false;
  for (const [name, member] of Object.entries(value)) {
    const changed =
      typeof member === "string"
        ? visit(name, member, value as Record<string, unknown>)
        : eachText(member, visit);
    isChanged = changed || isChanged;
  }
  return isChanged;
}

/** The items of a page: the list in its `Data`. */
const itemsOf = ({ Data }: Body): Record<string, unknown>[] => {
  const list = Object.values(Data).find(Array.isArray);
  return list ?? [];
};

const linksOf = (body: Body): Record<string, unknown> =>
  (body.Links ?? {}) as Record<string, unknown>;

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** The same moment at another offset, with a fraction of a second. */
function atOddOffset(text: string): string {
  const moment = Temporal.Instant.from(text).toZonedDateTimeISO("+05:30");
  return `${moment.toPlainDateTime().toString({ fractionalSecondDigits: 6 })}+05:30`;
}

const isPage = (call: ObservedCall): boolean => readsAccounts(call);
const goingOn = { judge: judgeGoingOn, judgeSilence: stopped };

/** The rows about answers that are not as expected. */
export const strangeAnswers: readonly Misbehaviour[] = [
  {
    name: "unknown-members",
    title: "Members that you do not know",
    plays: "The answer has extra members: at the top level, in Data, and in every item of a list.",
    touches: "a call that creates a payment consent",
    robust: "Ignores unknown members, and continues.",
    advice: "Do not validate answers strictly: the standard lets banks add members.",
    ...goingOn,
    change: rewriting(createsPaymentConsent, (body) => {
      body.BankSpecific = { Version: 7, Notes: ["new"] };
      body.Data.SupplementaryData = { Branch: "0042" };
      body.Data.RiskScore = 3.5;
    }),
  },
  {
    name: "unknown-members-in-lists",
    title: "Members that you do not know, in a list",
    plays: "Every item in the list has extra members.",
    touches: "a page of transactions, and the next page if there is one",
    robust: "Ignores unknown members, and reads on.",
    advice: "Do not validate answers strictly: the standard lets banks add members.",
    ...goingOn,
    change: rewriting(readsTransactions, (body) => {
      const items = itemsOf(body);
      for (const item of items) item.SupplementaryData = { Category: { Id: 12, Name: "Café" } };
      return items.length > 0;
    }),
  },
  {
    name: "other-casings",
    title: "Values in another case, and new ones",
    plays: "Codes are in capitals, and account and transaction types have unknown values.",
    touches: "a page of transactions, or the list of accounts",
    robust: "Ignores case when it compares codes, keeps unknown codes as text, and continues.",
    advice: "Give each enumeration a value “other”. A new code must not stop a whole page.",
    ...goingOn,
    change: rewriting(isPage, (body) =>
      eachText(body.Data, (name, value, holder) => {
        if (/^(CreditDebitIndicator|Status)$/.test(name)) holder[name] = value.toUpperCase();
        else if (/^(AccountSubType|AccountTypeCode|SubCode)$/.test(name))
          holder[name] = "SomethingNew";
        else return false;
        return true;
      }),
    ),
  },
  {
    name: "odd-dates",
    title: "Dates at another offset",
    plays: "Date-times have the offset +05:30 and six decimal places, but mean the same times.",
    touches: "a page of account data",
    robust: "Parses every ISO 8601 date-time, and continues.",
    advice: "Parse date-times with a library, to a moment. Do not cut them at fixed places.",
    ...goingOn,
    change: rewriting(isPage, (body) =>
      eachText(body.Data, (name, value, holder) => {
        if (!dateTime.test(value)) return false;
        holder[name] = atOddOffset(value);
        return true;
      }),
    ),
  },
  {
    name: "missing-members",
    title: "Optional members that are missing",
    plays: "Debtor, Refund, Charges, Meta and the id in Links.Self are missing.",
    touches: "the answer to an order",
    robust: "Uses only the members that the standard requires, and reads the order by its id.",
    advice:
      "Nothing but the required members is certain: do not read further ones without a check.",
    ...goingOn,
    change: rewriting(submitsOrder, (body) => {
      for (const name of ["Debtor", "Refund", "Charges"]) delete body.Data[name];
      delete body.Meta;
      const links = linksOf(body);
      if (typeof links.Self === "string") links.Self = links.Self.replace(/\/[^/]+$/, "");
    }),
  },
  {
    name: "unknown-status",
    title: "A status that you do not know",
    plays: "For one answer, the order has a status that is not in the standard.",
    touches: "a call that reads an order",
    robust: "Treats the status as not final, and reads the order again later.",
    advice: "List the final statuses. Everything else means: ask again.",
    change: rewriting(readsOrder, ({ Data }) => {
      if (typeof Data.Status !== "string") return false;
      Data.Status = "Processing";
      return true;
    }),
    judge({ played, later }) {
      const again = later.find((one) => isSame(one, played));
      return again ? { verdict: "coped", seen: "It read the order again." } : null;
    },
    judgeSilence: () => ({
      verdict: "gave up",
      seen: "It did not read the order again, as if the unknown status were final.",
    }),
  },
  {
    name: "repeated-item",
    title: "Pages that overlap",
    plays: "The second page begins with the last item of the first page.",
    touches: "the second page of a list",
    robust: "Reads on to the last page, and uses the ids to count each item once.",
    advice:
      "Compare TransactionId before you count or store an item. The bank cannot see whether you " +
      "do: look at your own data.",
    ...goingOn,
    change: rewriting(readsTransactions, (body, call, { memory }) => {
      const items = itemsOf(body);
      const last = memory.get(call.path);
      const list = Object.entries(body.Data).find(([, value]) => Array.isArray(value))?.[0];
      if (linksOf(body).Prev !== undefined && last !== undefined && list !== undefined) {
        body.Data[list] = [last, ...items];
        return true;
      }
      memory.set(call.path, items.at(-1));
      return false;
    }),
  },
  {
    name: "endless-pages",
    title: "A next page that is the same page",
    plays: "Up to six times, Links.Next is the address of the page itself.",
    touches: "a page of transactions",
    robust: "Notices that it has already read the page, and stops.",
    advice: "Remember the addresses that you have read, and stop with an error if one comes again.",
    change: rewriting(
      (call) => readsTransactions(call),
      (body, call, { memory }) => {
        const self = `${call.path}?${call.query}`;
        if (memory.has("self") && memory.get("self") !== self) return false;
        const links = linksOf(body);
        if (typeof links.Self !== "string") return false;
        memory.set("self", self);
        links.Next = links.Self;
        return true;
      },
    ),
    most: 6,
    judge({ played, plays, later }) {
      if (plays.length >= 6) {
        return {
          verdict: "at risk",
          seen: `It read the same page ${countOf(plays.length, "time", "times")}.`,
        };
      }
      const other = later.find((one) => one.at > (plays.at(-1)?.at ?? 0) && !isSame(one, played));
      return other
        ? {
            verdict: "coped",
            seen: `It stopped after reading the page ${countOf(plays.length, "time", "times")}.`,
          }
        : null;
    },
    judgeSilence: ({ plays }) => ({
      verdict: "coped",
      seen: `It stopped after reading the page ${countOf(plays.length, "time", "times")}.`,
    }),
  },
  {
    name: "other-token-answer",
    title: "Tokens in other words",
    plays: "token_type is in capitals, and scope has an extra word.",
    touches: "an answer from the token endpoint",
    robust: "Ignores the case of token_type and the extra scope, and uses the token.",
    advice: "Use a client library for OAuth, which does this.",
    change: (call, answer) => {
      const body = call.path === "/token" && call.status === 200 ? objectOf(answer.body) : null;
      if (!body || typeof body.access_token !== "string") return null;
      const scope = `${typeof body.scope === "string" ? body.scope : ""} bank:extra`.trim();
      return withBody(answer, {
        ...body,
        token_type: textOf(body.token_type ?? "Bearer").toUpperCase(),
        scope,
      });
    },
    judge({ played, later }) {
      const [next] = later;
      if (!next) return null;
      if (next.path === played.path) {
        return {
          verdict: "gave up",
          seen: "It asked for a token again, and did not use the first.",
        };
      }
      return createsConsent(next) && played.grantType !== "client_credentials"
        ? { verdict: "gave up", seen: "It began anew, without using the token." }
        : { verdict: "coped", seen: `It used the token: ${next.method} ${next.path}.` };
    },
    judgeSilence: stopped,
  },
];
