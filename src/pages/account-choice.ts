import { type Html, html, withSortCodes } from "./html.ts";
import { faulty } from "./journey-parts.ts";

/** One account to choose, or not. */
type AccountRow = {
  accountId: string;
  label: string;
  number: string;
  balance: string | null;
  /** The heading under which a long list has the account. */
  group: string;
  /** Why it cannot be chosen; null when it can. */
  unavailable: string | null;
  /** What the customer should know before choosing it; null for nothing. */
  note: string | null;
  checked: boolean;
};

/** The note of an account with less than the payment. It does not say what will happen. */
export const lowBalance =
  "The balance shown is lower than what this payment takes from the account.";

/** A choice of one account, or of several. */
export type AccountChoice = {
  error: string | null;
  choice: "one" | "many";
  accounts: readonly AccountRow[];
};

const longList = 5;

// Enter on an account presses the form's first button, so that one only shows the choice again
const onEnter = html`<button class="unseen" name="decision" value="show" formnovalidate
 tabindex="-1" aria-hidden="true"></button>
`;

/** The field of the choice. A long list is in groups, each with a heading. */
export function accountChoice({ error, choice, accounts }: AccountChoice, legend: Html): Html {
  const type = choice === "one" ? "radio" : "checkbox";
  const fault = faulty(error);
  // radio buttons have one value between them, so a fault is the group's
  const role = type === "radio" ? html` role="radiogroup"${fault}` : null;
  const isLong = accounts.length > longList;
  const groups = Map.groupBy(accounts, ({ group }) => group);
  const hasGroups = isLong && groups.size > 1;
  const ordered = hasGroups ? [...groups.values()].flat() : accounts;
  const first = ordered.find(isOpen);
  const option = (account: AccountRow): Html => {
    const more = html`${type === "checkbox" && fault}${fault && account === first && html` autofocus`}`;
    return accountOption(account, ordered.indexOf(account), type, more);
  };
  const mark = (given: readonly AccountRow[], group: string | null): Html | null =>
    choice === "many" ? selectAll(given, group) : null;
  const options = hasGroups
    ? [...groups].map(
        ([group, given]) => html`<fieldset class="account-group">
<legend>${group}</legend>
${mark(given, group)}${given.map(option)}</fieldset>
`,
      )
    : accounts.map(option);
  return html`<fieldset class="accounts${isLong ? " dense" : ""}"${role}>${legend}
${onEnter}${mark(accounts, null)}${options}</fieldset>`;
}

const isOpen = ({ unavailable }: AccountRow): boolean => unavailable === null;

/** A button that marks all accounts of the list or of a group, or none if all are marked. */
function selectAll(accounts: readonly AccountRow[], group: string | null): Html | null {
  const open = accounts.filter(isOpen);
  if (open.length < 3) return null;
  const of = group === null ? "" : ` of ${group}`;
  const [value, text] = open.every(({ checked }) => checked)
    ? ["none", "Select none"]
    : ["all", `Select all ${open.length}${group === null ? " accounts" : ""}`];
  return html`<p><button class="plain-button" name="decision" value="${value}${of}"
 formnovalidate>${text}<span class="unseen">${of}</span></button></p>
`;
}

function accountOption(
  account: AccountRow,
  index: number,
  type: "radio" | "checkbox",
  more: Html,
): Html {
  const closed = account.unavailable !== null;
  const attributes = [
    closed && html` disabled`,
    account.checked && !closed && html` checked`,
    type === "radio" && !closed && html` required`,
    !closed && more,
  ];
  const id = `account-${index + 1}`;
  return html`<label class="account" for="${id}">
<input type="${type}" id="${id}" name="account" value="${account.accountId}"${attributes}>
<span class="account-text"><b>${account.label}</b>
<span class="number">${withSortCodes(account.number)}</span>
${closed && html`<span class="reason">${account.unavailable}</span>`}
${account.note && html`<span class="reason">${account.note}</span>`}</span>
${account.balance !== null && html`<span class="balance">${account.balance}</span>`}
</label>
`;
}
