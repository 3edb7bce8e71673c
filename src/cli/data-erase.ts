import { hasOwnCore } from "#src/config/own-core.ts";
import { type Erasure, eraseCustomer, planErasure } from "#src/server/personal-data.ts";
import { withBankData } from "./bank-data.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions } from "./options.ts";

/** `./aldgate data erase` */
export const command: Command = {
  name: "data erase",
  summary: "erases what may be erased about a customer, and says what stays and why",
  usage: [
    "  ./aldgate data erase CUSTOMER_ID --plan    says it and changes nothing",
    "  ./aldgate data erase CUSTOMER_ID",
    "",
    "First stop the customer's consents (./aldgate consents stop); one to a single payment ends",
    "with its order, or an hour after its approval. Let the core send nothing more about the",
    "customer: a newer fact is stored again. While a consent is in use or an order is not finished,",
    "nothing is erased. The bank may be running on PostgreSQL. You can repeat the command.",
    "docs/data.md says what stays and for how long.",
    "Exits with 1 if something must end first, otherwise with 0.",
  ].join("\n"),
  json: {
    "": [
      "customerId",
      "deleted",
      "kept",
      "jointAccounts",
      "consentsInUse",
      "unfinishedOrders",
      "hasChanged",
      "isErased",
    ],
  },
  next: [
    ["data export CUSTOMER_ID", "prints what the database has about the customer"],
    ["consents list CUSTOMER_ID", "lists the consents that may be in use"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { plan: { type: "boolean" } });
    const [customerId, ...more] = rest;
    if (customerId === undefined || more.length > 0) {
      throw new UsageError("Give the id of one customer.");
    }
    if (!hasOwnCore(configOf(cli.environment))) {
      throw new UsageError(
        "The sandbox's own bank keeps every line of its ledger. Delete a customer whom you have " +
          "created with `./aldgate customers delete`. If another core is behind the sandbox, set " +
          "BANK_URL or BANK_MODULE for this command too.",
      );
    }
    const isPlan = values.plan === true;
    const done = await withBankData(cli, async (database) => {
      const deps = { database, clock: cli.clock, kinds: await cli.kinds() };
      return (isPlan ? planErasure : eraseCustomer)(deps, customerId);
    });
    const obstacles = obstaclesOf(done);
    return {
      lines: [...linesOf(done), ...obstacles, endOf(done, obstacles.length > 0)],
      json: done,
      exitCode: obstacles.length > 0 ? 1 : 0,
    };
  },
};

function linesOf({ deleted, kept, jointAccounts, isErased }: Erasure): string[] {
  const goes = isErased ? "deleted" : "goes";
  return [
    ...deleted.map(({ table, rows }) => `${goes.padEnd(8)} ${table} (${rows})`),
    ...kept.map(({ table, rows, because }) => `stays    ${table} (${rows}): ${because}`),
    ...jointAccounts.map((id) => `stays    account ${id}: others hold it too`),
  ];
}

const obstaclesOf = ({ consentsInUse, unfinishedOrders, hasChanged }: Erasure): string[] => [
  ...consentsInUse.map((id) => `FIRST    the consent ${id} must end`),
  ...unfinishedOrders.map((id) => `FIRST    the order ${id} must be finished`),
  ...(hasChanged ? ["FIRST    read the plan again: the customer's accounts have changed"] : []),
];

function endOf({ customerId, deleted, isErased }: Erasure, isStopped: boolean): string {
  if (isStopped) return "Nothing was erased.";
  if (deleted.length === 0) return "There is nothing to erase.";
  return isErased ? `${customerId} is erased.` : "This is only the plan: nothing was erased.";
}
