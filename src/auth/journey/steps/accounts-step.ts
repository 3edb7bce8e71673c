import {
  accountLabel,
  accountNumber,
  areAccountsKnown,
  findNamed,
  isUnmet,
  judgeAccounts,
  openOf,
} from "#src/auth/journey/eligible-accounts.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import { present } from "#src/lib/assert.ts";
import { accountsPage } from "#src/pages/journey.ts";

const texts = { one: "Choose one account.", many: "Choose at least one account." };

/** The choice of accounts. It is skipped if they were chosen before, or the TPP named one. */
export const accountsStep: JourneyStep<{ account: "list" }> = {
  name: "accounts",
  // Source: SCA-RTS article 4(3)(d): the time after authentication
  minutes: 5,
  fields: { account: "list" },
  showsConsent: () => true,
  addsNothing: ({ consent, kind }) => areAccountsKnown(kind, consent),

  async begin({ bank }, { row, consent, kind }) {
    const isChosen = consent.customerId !== null;
    const named = isChosen ? null : kind.namedDebtor(consent);
    // the balances help the customer to choose
    const all = await bank.listAccounts(present(row.customerId, "the customer"), {
      funds: !isChosen && !named,
    });
    const accounts = judgeAccounts(kind, consent, all);
    if (isChosen) {
      const isOpen = openOf(accounts).some(({ account }) =>
        consent.accountIds.includes(account.accountId),
      );
      if (kind.accountChoice === "one" && !isOpen) return { ends: "not_usable" };
      return { facts: { accounts, accountIds: consent.accountIds }, isSkipped: true };
    }
    if (named) {
      const found = await findNamed(bank, accounts, named);
      if (found === "ambiguous") return { ends: "ambiguous" };
      if (found?.unmet) return { ends: "unmet" };
      if (!found) return { ends: "not_owned" };
      if (found.unavailable !== null) return { ends: "not_usable" };
      const accountIds = [found.account.accountId];
      return { facts: { accounts: [found], accountIds }, isSkipped: true };
    }
    if (isUnmet(accounts)) return { ends: "unmet" };
    return { facts: { accounts } };
  },

  async show(_tools, { row, consent, kind, now }, { given: _, ...frame }) {
    const candidates = row.accounts ?? [];
    const open = openOf(candidates);
    const accounts = candidates.map(({ account, unavailable, balance }) => ({
      accountId: account.accountId,
      label: accountLabel(account),
      number: accountNumber(account),
      balance,
      unavailable,
      checked: open.length === 1 && unavailable === null,
    }));
    const summary = kind.summarise(consent, now);
    return accountsPage({ ...frame, choice: kind.accountChoice, accounts, summary });
  },

  async take(_call, { row, kind }, { account: chosen }) {
    const ids = openOf(row.accounts ?? []).map(({ account }) => account.accountId);
    const isOpen = chosen.every((accountId) => ids.includes(accountId));
    const isEnough = kind.accountChoice === "one" ? chosen.length === 1 : chosen.length > 0;
    if (!isOpen || !isEnough) return { refused: { error: texts[kind.accountChoice] } };
    return { done: { accountIds: ids.filter((accountId) => chosen.includes(accountId)) } };
  },
};
