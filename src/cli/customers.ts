import { writeFileSync } from "node:fs";
import { parseJsonObject } from "#src/http/json-object.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { CustomerDocument } from "#src/sandbox/own-data/document.ts";
import { type Command, type Result, rowOf, UsageError } from "./command.ts";
import { readGiven, readOptions, textOf } from "./options.ts";
import { configuredSandbox, type SandboxClient } from "./sandbox-client.ts";

type Given = {
  sandbox: SandboxClient;
  /** A login, or the name of a file. */
  subject: string;
  as: string | undefined;
  shift: boolean;
  out: string | undefined;
};

const acts: Record<string, (given: Given) => Promise<Result>> = {
  async list({ sandbox }) {
    const customers = await sandbox.listCustomers();
    return { lines: customers.map(lineOf), json: { customers } };
  },
  create: importFile,
  import: importFile,
  async export({ sandbox, subject, out }) {
    const document = await sandbox.customers.export(subject);
    const text = JSON.stringify(document, null, 2);
    if (out === undefined) return { lines: [text], json: document };
    writeFileSync(out, `${text}\n`);
    return { lines: [`${subject} is in ${out}.`], json: { login: subject, file: out } };
  },
  async delete({ sandbox, subject }) {
    await sandbox.customers.delete(subject);
    return { lines: [`The customer ${subject} is deleted.`], json: { login: subject } };
  },
};

/** `./aldgate customers` */
export const command: Command = {
  name: "customers",
  summary: "lists, creates, exports and deletes customers of the running sandbox",
  usage: [
    "  ./aldgate customers list            lists logins, passwords, ids and accounts",
    "  ./aldgate customers create FILE     creates a customer from JSON (format: docs/sandbox.md)",
    "  ./aldgate customers export LOGIN    prints a customer in the same format",
    "      --out FILE       writes the customer to a file",
    "  ./aldgate customers import FILE     creates a customer from an exported file",
    "      --as LOGIN       uses another login and other account numbers",
    "      --shift          moves all dates from the time of the export to the bank's time; for",
    "                       create, from the time in `asOf`",
    "  ./aldgate customers delete LOGIN    deletes a customer whom you created or imported",
  ].join("\n"),
  json: {
    list: ["customers"],
    export: "the customer's document (docs/sandbox.md); with --out, {login, file}",
    delete: ["login"],
    "": ["customerId", "login", "password", "name", "description", "accounts"],
  },
  next: [
    ["tpp authorise DIR CONSENT-ID SCOPE --customer LOGIN", "approves a consent as the customer"],
    ["customers export LOGIN", "prints a customer that you can change and import"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      as: { type: "string" },
      shift: { type: "boolean" },
      out: { type: "string" },
    });
    const [word = "list", subject = "", ...more] = rest;
    const act = rowOf(acts, word, `Unknown command "customers ${word}".`);
    if (more.length > 0 || (subject === "") !== (word === "list")) {
      const wanted = word === "list" ? "no argument" : "one login or one file";
      throw new UsageError(`customers ${word} needs ${wanted}.`);
    }
    const sandbox = configuredSandbox(cli);
    const { as, out, shift = false } = values;
    return act({ sandbox, subject, as: textOf(as), out: textOf(out), shift: shift === true });
  },
};

async function importFile({ sandbox, subject, as, shift }: Given): Promise<Result> {
  const text = readGiven(subject);
  const refuse = (why: string) => new UsageError(`${subject} ${why}.`);
  const document = parseJsonObject(Buffer.from(text), refuse) as CustomerDocument;
  const created = await sandbox.customers.create(
    as === undefined ? document : renamed(document, as),
    { shift },
  );
  const lines = [
    lineOf(created),
    "Log in with this name and password, or let ./aldgate tpp authorise.",
  ];
  return { lines, json: created };
}

/** The same customer under another login. The bank chooses other account numbers. */
function renamed({ login, accounts, ...rest }: CustomerDocument, as: string): CustomerDocument {
  return {
    ...rest,
    login: as,
    accounts: accounts.map(({ number: _, holders, ...account }) => ({
      ...account,
      ...(holders
        ? { holders: holders.map((one) => (one.login === login ? { ...one, login: as } : one)) }
        : {}),
    })),
  };
}

const lineOf = ({ customerId, login, password, name, accounts }: SandboxCustomer): string =>
  `${login}  ${password}  ${name}  ${customerId}  ${accounts.map(({ accountId }) => accountId).join(" ")}`;
