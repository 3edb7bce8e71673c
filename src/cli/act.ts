import { type ActRow, actRows } from "#src/sandbox/controls/act-rows.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { warnedText } from "./results.ts";
import { configuredSandbox } from "./sandbox-client.ts";

const argumentOf: Record<ActRow["on"], string> = {
  payment: "ORDER_ID",
  consent: "CONSENT_ID",
  account: "ACCOUNT_ID",
  customer: "LOGIN",
  request: "AUTH_REQ_ID",
  object: "CONSENT_ID, ORDER_ID or ACCOUNT_ID",
};
const fieldsOf = ({ request }: ActRow): string[] => Object.keys(request.properties);
const optionsOf = (row: ActRow): string[] =>
  fieldsOf(row).map((name) => {
    const option = `--${name} ${name.toUpperCase()}`;
    return row.request.required?.includes(name) ? option : `[${option}]`;
  });

/** `./aldgate act` */
export const command: Command = {
  name: "act",
  summary: "does something to one order, consent, account or customer of a running sandbox",
  usage: actRows
    .map((row) => {
      const typed = [row.act, argumentOf[row.on], ...optionsOf(row)].join(" ");
      return `  ./aldgate act ${typed}\n      ${row.summary}`;
    })
    .join("\n"),
  json: { "": ["id", "status"] },
  next: [
    ["explain ID", "says how the consent or the order came to its status"],
    ["events list CLIENT_ID", "lists the events that the bank has sent about it"],
  ],
  async run(cli) {
    const names = [...new Set(actRows.flatMap(fieldsOf))];
    const { values, rest } = readOptions(
      cli.arguments,
      Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
    );
    const [name, id, ...more] = rest;
    const row = actRows.find(({ act }) => act === name);
    if (!row) {
      const acts = actRows.map(({ act }) => act);
      throw new UsageError(`Name one of these acts: ${acts.join(", ")}.`, acts);
    }
    if (id === undefined || more.length > 0)
      throw new UsageError(`Give one ${argumentOf[row.on]}.`);
    const answer = await configuredSandbox(cli).act(row, id, values);
    if (answer.warning) cli.complain(warnedText(answer.warning));
    return { lines: [`${answer.id}: ${answer.status}`], json: answer };
  },
};
