import type { Block, PortalPage } from "./blocks.ts";
import { code } from "./inline.ts";

/** One scenario. */
export type ScenarioEntry = {
  name: string;
  /** The members of the request with their values, ready to be copied. */
  send: { label: string; value: string }[];
  /** Text in backquotes is shown as code. */
  description: string;
  /** The member of the response, and its values in order; the last one is final. */
  outcome: { label: string; values: string[] };
};

/** The contents of the page at `/docs/scenarios`. */
export type ScenarioLists = {
  /** Scenarios of one network or operation each: a heading, a sentence, and the entries. */
  groups: { title: string; text: string; entries: ScenarioEntry[] }[];
  /** The effect of a payment's outcome on its order, per kind. */
  orders: { title: string; text: string }[];
};

/** The page that lists the scenarios of a sandbox and how to trigger them. */
export const scenariosPage = ({ groups, orders }: ScenarioLists): PortalPage => ({
  path: "/docs/scenarios",
  title: "Scenarios",
  about: "The payees, amounts and changes that make a payment late, refused or returned.",
  part: "Guides",
  isListed: true,
  hasForms: false,
  blocks: () => [
    {
      is: "lead",
      text:
        "The payee, the amount, the reference or the customer decides what becomes of a payment, " +
        "whatever its kind. Any other payment succeeds. The answer to a question about funds " +
        "depends on the amount and on the state of the account, as shown. Each change of an " +
        "account or a consent causes the event shown.",
    },
    ...groups.flatMap(groupBlocks),
    { is: "heading", level: 2, id: "orders", text: "What it means for the order" },
    {
      is: "table",
      head: ["Scenario", "The order"],
      rows: orders.map(({ title, text }) => [title, text]),
    },
  ],
});

const groupBlocks = (
  { title, text, entries }: ScenarioLists["groups"][number],
  index: number,
): Block[] => [
  { is: "heading", level: 2, id: `group-${index}`, text: title },
  { is: "text", text },
  {
    is: "table",
    head: ["Scenario", "Send", "Outcome"],
    rows: entries.map(({ name, description, send, outcome }) => [
      `**${name}**: ${description}`,
      send.map(({ label, value }) => `${label} ${code(value)}`).join(", "),
      `${outcome.label} ${outcome.values.map(code).join(", then ")}`,
    ]),
  },
];
