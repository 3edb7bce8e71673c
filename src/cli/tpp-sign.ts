import { readFileSync } from "node:fs";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions } from "./options.ts";
import { configuredAddress } from "./sandbox-client.ts";
import { openTppFolder } from "./tpp-folder.ts";

/** `./aldgate tpp sign` */
export const command: Command = {
  name: "tpp sign",
  summary: "prints the x-jws-signature of a request body, for payments made with curl",
  usage: [
    "  ./aldgate tpp sign DIR FILE",
    "Signs the file's exact bytes: send them with `curl --data-binary @FILE`.",
  ].join("\n"),
  json: { "": ["signature"] },
  next: [["judge FILE --signature SIGNATURE", "checks the signature without sending the body"]],
  async run(cli) {
    const [folder, file, ...more] = readOptions(cli.arguments, {}).rest;
    if (folder === undefined || file === undefined || more.length > 0) {
      throw new UsageError("Give the TPP's folder and the file that contains the body.");
    }
    const { bank, tpp } = await openTppFolder(folder, configuredAddress(configOf(cli.environment)));
    const client = new TppClient({ ...bank, operations: [] }, tpp);
    try {
      const signature = await client.signature(readFileSync(file));
      return { lines: [signature], json: { signature } };
    } finally {
      client.close();
    }
  },
};
