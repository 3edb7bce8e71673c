import { type Command, UsageError } from "./command.ts";
import { readGiven, readOptions, textOf } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/** `./aldgate tpp lint` */
export const command: Command = {
  name: "tpp lint",
  summary: "lists the rules that a registration request breaks, without registering",
  usage: [
    "  ./aldgate tpp lint REQUEST.jws",
    "  --certificate CLIENT.pem    also checks the client certificate that you will present",
    "",
    "Exits with 0 if the request breaks no rule, otherwise with 1. The sandbox must be running.",
  ].join("\n"),
  json: { "": ["faults"] },
  next: [["tpp register DIR", "registers a TPP as in production"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { certificate: { type: "string" } });
    const [path, ...more] = rest;
    if (path === undefined || more.length > 0) throw new UsageError("Name one file.");
    const certificate = textOf(values.certificate);
    const faults = await configuredSandbox(cli).lint({
      request: readGiven(path).trim(),
      ...(certificate === undefined ? {} : { certificatePem: readGiven(certificate) }),
    });
    const found = faults.map(({ rule, error, description }) => `${rule}  ${error}: ${description}`);
    return {
      lines: faults.length === 0 ? ["The request breaks no rule."] : found,
      json: { faults },
      exitCode: faults.length === 0 ? 0 : 1,
    };
  },
};
