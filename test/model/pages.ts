import { type Calls, type Done, isBefore } from "./calls.ts";
import type { Rule } from "./rule.ts";
import { Tokens } from "./tokens.ts";

// The model of pages: transactions are only added, so a page shows at least what was there when it
// was asked for. A page is one read of an account's newest transactions.

type Page = { read: Done<"readData">; consentId: string; newest: number };

const timeOf = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;

function pages(calls: Calls): Page[] {
  const tokens = new Tokens(calls);
  return calls.done("readData").flatMap((read) => {
    const { resource, token } = read.asked;
    const { newest } = read.told;
    if (newest === undefined || resource.includes("?")) return [];
    return [{ read, consentId: tokens.consentOf(token) ?? "", newest: timeOf(newest) }];
  });
}

const isOfAccount = ({ read }: Page, accountId: string): boolean =>
  read.asked.resource.endsWith(`/accounts/${accountId}/transactions`);

/** The rules about pages. */
export const pageRules: readonly Rule[] = [
  {
    claim: "no page is older than one that was shown before",
    *breaches(calls) {
      const all = Map.groupBy(pages(calls), ({ read, consentId }) =>
        [consentId, read.asked.resource].join(" "),
      );
      for (const [subject, shown] of all) {
        const ended = shown.toSorted((one, other) => one.read.end - other.read.end);
        let next = 0;
        let newest: Page | undefined;
        for (const page of shown.toSorted((one, other) => one.read.start - other.read.start)) {
          for (let one = ended[next]; one && isBefore(one.read, page.read); one = ended[next]) {
            if (!newest || one.newest > newest.newest) newest = one;
            next += 1;
          }
          if (!newest || page.newest >= newest.newest) continue;
          const text = `${page.read.told.newest} was the newest after ${newest.read.told.newest}`;
          yield { subject, text, calls: [newest.read, page.read] };
        }
      }
    },
  },
  {
    claim: "a page shows what was delivered before it",
    *breaches(calls) {
      const shown = pages(calls);
      for (const delivery of calls.done("deliver")) {
        const { accountId, at } = delivery.asked;
        const stale = shown.find(
          (page) =>
            isOfAccount(page, accountId) &&
            isBefore(delivery, page.read) &&
            page.newest < timeOf(at),
        );
        if (!stale) continue;
        const text = `${stale.read.told.newest} was the newest after ${at} was delivered`;
        yield { subject: accountId, text, calls: [delivery, stale.read] };
      }
    },
  },
];
