import { hasOwnCore } from "#src/config/own-core.ts";
import { openConsents } from "#src/server/opening/open-consents.ts";
import { type ErasurePlan, eraseCustomer, planErasure } from "#src/server/personal-data.ts";
import { withBankData } from "./bank-data.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
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
    "First stop the customer's consents (./aldgate consents stop), and let the core send nothing",
    "more about the customer: a newer fact is stored again. While a consent is in use or an order",
    "is not finished, nothing is erased. The bank may be running on PostgreSQL. You can repeat the",
    "command. docs/data.md says what stays and for how long.",
    "Exits with 1 if something must end first, otherwise with 0.",
  ].join("\n"),
  json: {
    "": [
      "customerId",
      "deleted",
      "kept",
      "jointAccounts",
      "unfinishedOrders",
      "consentsInUse",
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
        "The sandbox bank keeps every line of its ledger. Delete a customer whom you have created " +
          "with `./aldgate customers delete`.",
      );
    }
    const done = await erase(cli, customerId, values.plan === true);
    const { plan, consentsInUse, isErased } = done;
    const mustEnd = consentsInUse.length > 0 || plan.unfinishedOrders.length > 0;
    return {
      lines: [...linesOf(done), ...endOf(done, values.plan === true)],
      json: { ...plan, consentsInUse, isErased },
      exitCode: mustEnd ? 1 : 0,
    };
  },
};

type Done = { plan: ErasurePlan; consentsInUse: string[]; isErased: boolean };

const erase = (cli: Cli, customerId: string, isPlan: boolean): Promise<Done> =>
  withBankData(cli, async (database) => {
    const consents = openConsents({ database, clock: cli.clock, kinds: await cli.kinds() });
    const given = await consents.list(customerId);
    const consentsInUse = given.filter(({ canStop }) => canStop).map(({ consentId }) => consentId);
    const isAllowed = !isPlan && consentsInUse.length === 0;
    const plan = await (isAllowed ? eraseCustomer : planErasure)(database, customerId);
    return { plan, consentsInUse, isErased: isAllowed && plan.unfinishedOrders.length === 0 };
  });

function linesOf({ plan, isErased }: Done): string[] {
  const goes = isErased ? "deleted" : "goes";
  return [
    ...plan.deleted.map(({ table, rows }) => `${goes.padEnd(8)} ${table} (${rows})`),
    ...plan.kept.map(({ table, rows, because }) => `stays    ${table} (${rows}): ${because}`),
    ...plan.jointAccounts.map((id) => `stays    account ${id}: others hold it too`),
  ];
}

function endOf({ plan, consentsInUse, isErased }: Done, isPlan: boolean): string[] {
  const obstacles = [
    ...consentsInUse.map((id) => `FIRST    stop the consent ${id}`),
    ...plan.unfinishedOrders.map((id) => `FIRST    the order ${id} must be finished`),
  ];
  if (obstacles.length > 0) return [...obstacles, "Nothing was erased."];
  if (plan.deleted.length === 0) return ["There is nothing to erase."];
  if (isErased) return [`${plan.customerId} is erased.`];
  return isPlan ? ["This is only the plan: nothing was erased."] : [];
}
