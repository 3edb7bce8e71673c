import { once } from "node:events";
import { statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createReferenceServer } from "#src/signing/reference-service.ts";
import { type Command, UsageError } from "./command.ts";
import { optionsOnly, readGiven, readOptions, textOf } from "./options.ts";

/** `./aldgate signing-service` */
export const command: Command = {
  name: "signing-service",
  summary: "runs a small signing service, the reference implementation of docs/signing-keys.md",
  usage: [
    "  --keys DIR          the folder of private keys; the key NAME is in the file NAME.pem",
    "  --port N            default: 9600; 0 picks a free port; only this machine can connect",
    "  --token-file FILE   requires callers to send the token in this file",
    "For development and tests: a production bank uses a hardware module or a cloud key service.",
  ].join("\n"),
  hasItems: true,
  json: { "": "one line, as soon as it is open: {url}" },
  next: [
    ["keys add service:NAME --certificate FILE", "adds a key of the service to the bank"],
    ["start", "opens a bank with SIGNING_SERVICE_URL"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      keys: { type: "string" },
      port: { type: "string" },
      "token-file": { type: "string" },
    });
    const folder = textOf(values.keys);
    const port = Number(textOf(values.port) ?? 9600);
    const tokenFile = textOf(values["token-file"]);
    if (rest.length > 0) throw new UsageError(optionsOnly);
    if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new UsageError("Name a folder of private keys with --keys.");
    }
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new UsageError("--port must be a number from 0 to 65535.");
    }
    const token = tokenFile === undefined ? null : readGiven(tokenFile).trim();
    const server = createReferenceServer({ folder, token });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address() as AddressInfo; // it listens on a port
    const url = `http://127.0.0.1:${address.port}`;
    cli.print(`The signing service is open at ${url}`, { url });
    await new Promise<void>((resolve) => {
      cli.onSignal(() => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    });
    return { lines: [], json: null };
  },
};
