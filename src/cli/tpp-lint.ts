import { existsSync, readFileSync } from "node:fs";
import { type Command, UsageError } from "./command.ts";
import { readOptions, textOf } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/** `./aldgate tpp lint` */
export const command: Command = {
  name: "tpp lint",
  summary: "lists the rules that a registration request breaks, without registering",
  usage: [
    "  ./aldgate tpp lint REQUEST.jws",
    "  --certificate CLIENT.pem    also checks the client certificate that will be presented",
    "",
    "Exits with 0 if the request breaks no rule, otherwise with 1. The sandbox must be running.",
  ].join("\n"),
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { certificate: { type: "string" } });
    const [path, ...more] = rest;
    if (path === undefined || more.length > 0) throw new UsageError("Name one file.");
    const certificate = textOf(values.certificate);
    const faults = await configuredSandbox(cli).lint({
      request: read(path).trim(),
      ...(certificate === undefined ? {} : { certificatePem: read(certificate) }),
    });
    for (const { rule, error, description } of faults) {
      cli.print(`${rule}  ${error}: ${description}`);
    }
    if (faults.length === 0) cli.print("The request breaks no rule.");
    return faults.length === 0 ? 0 : 1;
  },
};

function read(path: string): string {
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
  return readFileSync(path, "utf8");
}
