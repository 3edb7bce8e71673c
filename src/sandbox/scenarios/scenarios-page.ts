import { present } from "#src/lib/assert.ts";
import { capitalised } from "#src/lib/plain-text.ts";
import type { PortalPage } from "#src/pages/portal/blocks.ts";
import {
  type ScenarioEntry,
  type ScenarioLists,
  scenariosPage,
} from "#src/pages/portal/scenarios.ts";
import { ibanFrom, ibanOf } from "#src/sandbox/bank/account-numbers.ts";
import type { KnownPayee } from "#src/sandbox/bank/confirm-payee.ts";
import type { ShownOutcome } from "#src/sandbox/controls/outcome-shape.ts";
import { type OutcomeUser, outcomeUsers } from "#src/sandbox/personas/outcome-users.ts";
import { type EventScenario, eventScenarios } from "./event-scenarios.ts";
import { type FundsScenario, fundsScenarios } from "./funds-scenarios.ts";
import { checkedPayees } from "./payee-scenarios.ts";
import {
  closedMarket,
  endingAbroad,
  refusalOf,
  type Scenario,
  scenarios,
  statusesOf,
  triggersOf,
} from "./scenarios.ts";
import { type VrpScenario, vrpScenarios } from "./vrp-scenarios.ts";

/** The page at `/docs/scenarios`, from the table that the simulated scheme uses. */
export const scenarioPage = (): PortalPage =>
  scenariosPage({
    groups: [
      {
        title: "Payments of every kind",
        text:
          "Send one of these, or pay as the customer shown. Abroad, the last eight digits of the " +
          "account number determine the outcome, in any country. If there is no IBAN, send the " +
          "number as `UK.OBIE.BBAN`, with the bank's BIC in `CreditorAgent`. The amount counts in " +
          "any currency. If several triggers differ, the payee counts first, then the reference, " +
          "then the amount. `GET /sandbox/v1/outcomes` returns this list.",
        entries: scenarios.map(entryOf),
      },
      {
        title: "Customers who never get through",
        text: "Send one of these customers to `/auth`. The password is the user name with `-sandbox`.",
        entries: outcomeUsers.filter(({ outcome }) => outcome === undefined).map(userEntryOf),
      },
      {
        title: "Names of payees",
        text:
          "The customer sees whether the account belongs to the `Name` of the `CreditorAccount` of a " +
          "domestic payment, before approving it. Accounts of this bank are checked too.",
        entries: checkedPayees.map(payeeEntryOf),
      },
      {
        title: "Variable recurring payments",
        text:
          "Create a new consent for each scenario. Its limits are a `MaximumIndividualAmount` and " +
          "one periodic limit with the `PeriodType` `Day` and the `PeriodAlignment` `Calendar`. " +
          "Make the earlier payments first, on one day. The payees above have the same outcomes " +
          "as for other kinds of payment.",
        entries: vrpScenarios.map(vrpEntryOf),
      },
      {
        title: "Confirmation of funds",
        text:
          "A card issuer's question about a current account in pounds. " +
          "`POST /sandbox/v1/accounts/{accountId}/` with `block`, `close` or `reopen` changes the " +
          "account.",
        entries: fundsScenarios.map(fundsEntryOf),
      },
      {
        title: "Events",
        text:
          "A TPP that is registered for events with `Version` `4.0` is notified of changes to an " +
          "authorised account access consent. `POST /sandbox/v1/accounts/{accountId}/` with `block`, " +
          "`close` or `reopen` changes an account. `POST /sandbox/v1/consents/{consentId}/revoke` " +
          "withdraws a consent.",
        entries: eventScenarios.map(eventEntryOf),
      },
    ],
    orders: outcomesForOrders,
  });

/** The effect of a payment's outcome on its order. */
const outcomesForOrders: ScenarioLists["orders"] = [
  {
    title: "Single payment",
    text:
      "The order has the status of its payment. A refusal is `RJCT` with the reason in " +
      "`StatusReason`.",
  },
  {
    title: "Scheduled payment",
    text:
      "The same as a single payment, on the payment date. `PUT /sandbox/v1/clock` moves the " +
      "bank's clock forward: an `advance` of `P8D` reaches every payment of the next week, " +
      "even " +
      "after weekends and holidays.",
  },
  {
    title: "Bacs payment",
    text:
      "With the `LocalInstrument` `UK.OBIE.BACS` the debtor is debited immediately " +
      "(`ACSC`). A " +
      "payee who is not listed here receives the money at 06:00 on the third working day " +
      "(`ACCC`). To see this, move the bank's clock forward to that time.",
  },
  {
    title: "Closed market",
    text:
      "Firm exchange rates (`RateType` `Actual`) are quoted at any hour, except for exchanges from " +
      `or to \`${closedMarket}\`. A consent that asks for a firm rate of this currency is refused ` +
      "with `U002`, as other banks refuse it outside market hours. `Indicative` rates are " +
      "still quoted.",
  },
  {
    title: "Standing order",
    text:
      "The order is `INCO` once it is set up, whatever happens to its payments. Each payment " +
      "has an entry in `payment-details`. A refused payment does not end the order.",
  },
  {
    title: "File",
    text:
      "Include one of these payments in the file. The order is `INFA` if one of its " +
      "payments was " +
      "refused, otherwise `INCO`. The report file and `payment-details` show which payment, " +
      "and why.",
  },
  {
    title: "Payee at this bank",
    text:
      "The amount, the reference and the user name have the same effect. An exchanged payment can " +
      "only be refused.",
  },
  {
    title: "Insufficient funds with any payee",
    text:
      "Pay more than the account has: the funds confirmation is `false`, and the payment is " +
      "`RJCT` with `AM04`. `GET /sandbox/v1/customers` shows every balance.",
  },
  {
    title: "Several signatories",
    text:
      "Pay from an account whose `signatoriesRequired` is 2. The order is `PATC` until the " +
      "second person decides, in online banking or by " +
      "`POST /sandbox/v1/multi-authorisations/{orderId}`.",
  },
];

function entryOf(scenario: Scenario): ScenarioEntry {
  const { name, description, answer } = scenario;
  const { amount, reference, user } = triggersOf(scenario);
  return {
    name: capitalised(name),
    send: [
      ...homeAccounts(scenario),
      ...accountsAbroad(scenario),
      { label: "Amount", value: amount },
      { label: "Reference", value: reference },
      ...(user === null ? [] : [{ label: "User name", value: user }]),
    ],
    description,
    outcome: { label: "Status", values: statusesOf(answer) },
  };
}

const userEntryOf = ({ login, about }: OutcomeUser): ScenarioEntry => ({
  name: login,
  send: [{ label: "User name", value: login }],
  description: about,
  outcome: { label: "Error", values: ["access_denied"] },
});

const payeeEntryOf = ({ number, holder }: KnownPayee): ScenarioEntry => ({
  name: holder ?? "Nobody answers",
  send: [{ label: "Sort code and account", value: number }],
  description:
    holder === null
      ? "The customer reads that the name could not be checked."
      : "Another name is a close match or no match, and the customer reads which.",
  outcome: {
    label: "Name",
    values: [holder === null ? "unavailable" : "match, close match or no match"],
  },
});

const vrpEntryOf = ({
  name,
  description,
  single,
  daily,
  before,
  amount,
  outcome,
}: VrpScenario): ScenarioEntry => ({
  name,
  send: [
    { label: "Limits", value: `${single} per payment, ${daily} per day` },
    ...before.map((value) => ({ label: "Earlier payment", value })),
    { label: "Amount", value: amount },
  ],
  description,
  outcome:
    "refusal" in outcome
      ? { label: "ErrorCode", values: [outcome.refusal] }
      : {
          label: "Status",
          values: ["reason" in outcome ? `RJCT (${outcome.reason})` : outcome.status],
        },
});

const fundsEntryOf = ({
  name,
  description,
  amount,
  act,
  answer,
}: FundsScenario): ScenarioEntry => ({
  name,
  send: [
    { label: "Amount", value: amount.Amount },
    { label: "Currency", value: amount.Currency },
    ...(act === undefined ? [] : [{ label: "Act", value: act }]),
  ],
  description,
  outcome:
    typeof answer === "boolean"
      ? { label: "FundsAvailable", values: [String(answer)] }
      : { label: "ErrorCode", values: [answer] },
});

const eventEntryOf = ({ name, description, act, types, reason }: EventScenario): ScenarioEntry => ({
  name,
  send: [{ label: "Act", value: act }],
  description: reason === undefined ? description : `${description} The reason is \`${reason}\`.`,
  outcome: { label: "Event", values: [types.join(" + ")] },
});

/** Returns the UK account of a scenario, in each notation. */
export function homeAccounts(scenario: Scenario): ScenarioEntry["send"] {
  const { payee } = triggersOf(scenario);
  return [
    { label: "Sort code and account", value: payee },
    { label: "IBAN", value: ibanOf(payee, noBank) },
  ];
}

/** Returns the foreign account of a scenario, as an IBAN and as a BBAN. */
export const accountsAbroad = (scenario: Scenario): ScenarioEntry["send"] => [
  { label: "IBAN in Germany", value: ibanFrom("DE", `${noBlz}00${endingAbroad(scenario)}`) },
  { label: "Account at NONEUS33", value: `0000${endingAbroad(scenario)}` },
];

/** Lists the outcomes of payments with their triggers, for programs. */
export const listOutcomes = (): ShownOutcome[] =>
  scenarios.map((scenario) => {
    const { number, name, description, answer } = scenario;
    const [, iban] = homeAccounts(scenario);
    const [ibanAbroad] = accountsAbroad(scenario);
    return {
      number,
      name,
      description,
      triggers: {
        ...triggersOf(scenario),
        iban: present(iban, "an IBAN").value,
        ibanAbroad: present(ibanAbroad, "an IBAN").value,
      },
      statuses: statusesOf(answer),
      reason: refusalOf(answer),
    };
  });

// a bank code that no bank has
const noBank = "NONE";
const noBlz = "00990099";
