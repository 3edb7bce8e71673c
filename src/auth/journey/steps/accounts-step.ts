import {
  accountGroup,
  accountLabel,
  accountNumber,
  areAccountsKnown,
  findNamed,
  isUnmet,
  judgeAccounts,
  openOf,
  readNotOpen,
  shownOf,
  withoutClosed,
} from "#src/auth/journey/eligible-accounts.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import { present } from "#src/lib/assert.ts";
import { lowBalance } from "#src/pages/account-choice.ts";
import { inShort } from "#src/pages/consent-summary.ts";
import { accountsPage } from "#src/pages/journey.ts";

const texts = {
  one: "Choose one account.",
  many: "Choose at least one account.",
  closed: "An account that you chose has just been closed or blocked.",
};

/** The choice of accounts. It is skipped if they were chosen before, or the TPP named one. */
export const accountsStep: JourneyStep<{ account: "list" }> = {
  name: "accounts",
  // Source: SCA-RTS article 4(3)(d): the time after authentication
  minutes: 5,
  fields: { account: "list" },
  reads: readNotOpen,
  showsConsent: () => true,
  // it must not offer an account that has just been closed
  isShownAnew: true,
  addsNothing: ({ consent, kind }) => areAccountsKnown(kind, consent),

  async begin({ bank }, { row, consent, kind }) {
    const isChosen = consent.customerId !== null;
    const named = isChosen ? null : kind.namedDebtor(consent);
    // the balances help the customer to choose
    const all = await bank.listAccounts(present(row.customerId, "the customer"), {
      funds: !isChosen && !named,
    });
    const judged = judgeAccounts(kind, consent, all);
    const accounts = shownOf(judged);
    if (isChosen) {
      const isOpen = openOf(accounts).some(({ account }) =>
        consent.accountIds.includes(account.accountId),
      );
      if (kind.accountChoice === "one" && !isOpen) return { ends: "not_usable" };
      return { facts: { accounts, accountIds: consent.accountIds }, isSkipped: true };
    }
    if (named) {
      const found = await findNamed(bank, judged, named);
      if (found === "ambiguous") return { ends: "ambiguous" };
      if (found?.unmet) return { ends: "unmet" };
      if (!found) return { ends: "not_owned" };
      if (found.unavailable !== null) return { ends: "not_usable" };
      const accountIds = [found.account.accountId];
      return { facts: { accounts: [found], accountIds }, isSkipped: true };
    }
    if (isUnmet(accounts)) return { ends: "unmet" };
    return { facts: { accounts }, read: {} };
  },

  shows({ row, consent, kind, now, clientName, read }, go) {
    const accounts = withoutClosed(row.accounts ?? [], read);
    const summary = kind.summarise(consent, now);
    return {
      clientName,
      summary: go === "approve" ? summary : inShort(summary),
      accounts: accounts.map(({ account, unavailable, balance, isLow }) => ({
        accountId: account.accountId,
        label: accountLabel(account),
        number: accountNumber(account),
        // the figure proves nothing, so it is not kept (decision 0062)
        showsBalance: balance !== null,
        ...(isLow && unavailable === null ? { note: lowBalance } : {}),
        unavailable,
      })),
    };
  },

  async again(decision, _tools, { row, kind, read }, { account: chosen }) {
    if (decision === "show") return { given: { account: chosen } };
    const [, mark, group] = /^(all|none)(?: of (.+))?$/.exec(decision) ?? [];
    if (kind.accountChoice === "one" || !mark) return null;
    const shown = row.accounts ?? [];
    const marked = openOf(withoutClosed(shown, read))
      .filter(({ account }) => group === undefined || accountGroup(account, shown) === group)
      .map(({ account }) => account.accountId);
    const others = chosen.filter((accountId) => !marked.includes(accountId));
    return { given: { account: mark === "all" ? [...others, ...marked] : others } };
  },

  async show(_tools, { row, consent, kind, now, read }, { given, ...frame }) {
    const candidates = withoutClosed(row.accounts ?? [], read);
    const open = openOf(candidates);
    const accounts = candidates.map(({ account, unavailable, balance, isLow }) => ({
      accountId: account.accountId,
      label: accountLabel(account),
      number: accountNumber(account),
      balance,
      group: accountGroup(account, candidates),
      unavailable,
      note: isLow && unavailable === null ? lowBalance : null,
      checked: given
        ? given.account.includes(account.accountId)
        : open.length === 1 && unavailable === null,
    }));
    const summary = kind.summarise(consent, now);
    return accountsPage({ ...frame, choice: kind.accountChoice, accounts, summary });
  },

  async take(_call, { row, kind, read }, { account: chosen }) {
    const shown = row.accounts ?? [];
    const ids = openOf(withoutClosed(shown, read)).map(({ account }) => account.accountId);
    const wereOpen = openOf(shown).map(({ account }) => account.accountId);
    if (chosen.some((id) => wereOpen.includes(id) && !ids.includes(id))) {
      const next = ids.length === 0 ? "" : " Choose another one.";
      return { refused: { error: `${texts.closed}${next}` } };
    }
    const isOpen = chosen.every((accountId) => ids.includes(accountId));
    const isEnough = kind.accountChoice === "one" ? chosen.length === 1 : chosen.length > 0;
    if (!isOpen || !isEnough) return { refused: { error: texts[kind.accountChoice] } };
    return { done: { accountIds: ids.filter((accountId) => chosen.includes(accountId)) } };
  },
};
