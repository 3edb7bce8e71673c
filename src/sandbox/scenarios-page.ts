import { ibanOf } from "#src/bank/sandbox/account-numbers.ts";
import { type ScenarioEntry, scenariosPage } from "#src/pages/scenarios.ts";
import { type Scenario, scenarios, statusesOf } from "./scenarios.ts";

/** The page at `/docs/scenarios`, from the table that the scheme itself goes by. */
export const renderScenarios = (bankName: string): string =>
  scenariosPage({
    bankName,
    groups: [
      {
        title: "Payees in the United Kingdom",
        text: "Faster Payments and CHAPS: give the `CreditorAccount` in either form.",
        entries: scenarios.map(entryOf),
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

const entryOf = ({ name, creditor, description, answer }: Scenario): ScenarioEntry => ({
  name: name.slice(0, 1).toUpperCase() + name.slice(1),
  send: [
    { label: "Sort code and account", value: creditor },
    { label: "IBAN", value: ibanOf(creditor, noBank) },
  ],
  description,
  statuses: statusesOf(answer),
});

// a bank code that is nobody's
const noBank = "NONE";
