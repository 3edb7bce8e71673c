import { ibanFrom, ibanOf } from "#src/bank/sandbox/account-numbers.ts";
import { type ScenarioEntry, scenariosPage } from "#src/pages/scenarios.ts";
import { endingAbroad, type Scenario, scenarios, statusesOf } from "./scenarios.ts";

/** The page at `/docs/scenarios`, from the table that the scheme itself goes by. */
export const renderScenarios = (bankName: string): string =>
  scenariosPage({
    bankName,
    groups: [
      {
        title: "Payees in the United Kingdom",
        text: "Faster Payments and CHAPS: give the `CreditorAccount` in either form.",
        entries: scenarios.map((each) => entryOf(each, homeAccounts(each))),
      },
      {
        title: "Payees abroad",
        text:
          "SEPA and SWIFT: the account number's last eight digits count, in any country. Where " +
          "there is no IBAN, give it as `UK.OBIE.BBAN` with the bank's BIC in `CreditorAgent`.",
        entries: scenarios.map((each) => entryOf(each, accountsAbroad(each))),
      },
    ],
    orders: [
      {
        title: "Single payment",
        text:
          "The order has the status of its payment. A refusal is `RJCT` with the reason in " +
          "`StatusReason`.",
      },
      {
        title: "Scheduled payment",
        text:
          "The same on its day. `PUT /sandbox/v1/clock` takes the bank there: `advance` of `P8D` " +
          "brings a payment for the next week, weekends and holidays included.",
      },
    ],
  });

const entryOf = (
  { name, description, answer }: Scenario,
  send: ScenarioEntry["send"],
): ScenarioEntry => ({
  name: name.slice(0, 1).toUpperCase() + name.slice(1),
  send,
  description,
  statuses: statusesOf(answer),
});

const homeAccounts = ({ creditor }: Scenario): ScenarioEntry["send"] => [
  { label: "Sort code and account", value: creditor },
  { label: "IBAN", value: ibanOf(creditor, noBank) },
];

const accountsAbroad = (scenario: Scenario): ScenarioEntry["send"] => [
  { label: "IBAN in Germany", value: ibanFrom("DE", `${noBlz}00${endingAbroad(scenario)}`) },
  { label: "Account at NONEUS33", value: `0000${endingAbroad(scenario)}` },
];

// bank codes that are nobody's
const noBank = "NONE";
const noBlz = "00990099";
