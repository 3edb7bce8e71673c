import { type ActRow, actRows } from "#src/sandbox/controls/act-rows.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";

const argumentOf: Record<ActRow["on"], string> = {
  payment: "ORDER_ID",
  consent: "CONSENT_ID",
  account: "ACCOUNT_ID",
  customer: "LOGIN",
  object: "CONSENT_ID, ORDER_ID or ACCOUNT_ID",
};
const fieldsOf = ({ request }: ActRow): string[] => Object.keys(request.properties);

/** `./aldgate act` */
export const command: Command = {
  name: "act",
  summary: "does something to one order, consent, account or customer of a running sandbox",
  usage: actRows
    .map((row) => {
      const options = fieldsOf(row).map((name) => `[--${name} ${name.toUpperCase()}]`);
      const typed = [row.act, argumentOf[row.on], ...options, "[--json]"].join(" ");
      return `  ./aldgate act ${typed}\n      ${row.summary}`;
    })
    .join("\n"),
  async run(cli) {
    const names = [...new Set(actRows.flatMap(fieldsOf))];
    const { values, rest } = readOptions(cli.arguments, {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
      json: { type: "boolean" as const },
    });
    const [name, id, ...more] = rest;
    const row = actRows.find(({ act }) => act === name);
    if (!row) {
      throw new UsageError(`Name one of these acts: ${actRows.map(({ act }) => act).join(", ")}.`);
    }
    if (id === undefined || more.length > 0)
      throw new UsageError(`Give one ${argumentOf[row.on]}.`);
    const { json, ...body } = values;
    const answer = await configuredSandbox(cli).act(row, id, body);
    if (json) cli.print(JSON.stringify(answer, null, 2));
    else cli.print(`${answer.id}: ${answer.status}`);
    return 0;
  },
};
