import { readFileSync } from "node:fs";
import { type Command, UsageError } from "./command.ts";
import { explanationLines } from "./explanation-lines.ts";
import { readOptions, textOf } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/** `./aldgate judge` */
export const command: Command = {
  name: "judge",
  summary: "runs the bank's own checks on a message, a JWT or a certificate, without sending it",
  usage: [
    "  ./aldgate judge FILE|- [--signature SIGNATURE] [--client CLIENT_ID]",
    "FILE is a request (method and path, headers, an empty line, the body), a JWT, or certificates",
    "in PEM or base64; `-` reads from standard input. If FILE is only a body, --signature gives its",
    "x-jws-signature. If the signature does not name the client, --client does.",
    "",
    "Exits with 0 if the bank would accept the message, otherwise with 1. The sandbox must be",
    "running, and stores nothing.",
  ].join("\n"),
  json: { "": "what `POST /sandbox/v1/judgements` returns" },
  next: [
    ["tpp sign DIR FILE", "signs a corrected body"],
    ["explain ID", "says why the bank rejected a request that you sent"],
  ],
  async run(cli) {
    const text = { type: "string" } as const;
    const { values, rest } = readOptions(cli.arguments, {
      signature: text,
      client: text,
    });
    const [file, ...more] = rest;
    if (file === undefined || more.length > 0) throw new UsageError("Name one file, or `-`.");
    const [signature, clientId] = [textOf(values.signature), textOf(values.client)];
    const judged = await configuredSandbox(cli).judge({
      text: read(file),
      ...(signature === undefined ? {} : { signature }),
      ...(clientId === undefined ? {} : { clientId }),
    });
    const isAccepted = judged.faults.length === 0 && judged.subject !== "unknown";
    return { lines: explanationLines(judged), json: judged, exitCode: isAccepted ? 0 : 1 };
  },
};

const standardInput = 0;

function read(file: string): string {
  try {
    return readFileSync(file === "-" ? standardInput : file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
