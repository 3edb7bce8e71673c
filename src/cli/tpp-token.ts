import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { isScope, scopes } from "#src/standard/api-version.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions } from "./options.ts";
import { configuredAddress } from "./sandbox-client.ts";
import { openTppFolder } from "./tpp-folder.ts";

/** `./aldgate tpp token` */
export const command: Command = {
  name: "tpp token",
  summary: "prints a client credentials token for a TPP's folder",
  usage: "  ./aldgate tpp token DIR accounts|payments|fundsconfirmations",
  json: { "": ["access_token", "scope"] },
  next: [
    ["routes", "lists the operations that you can call"],
    ["tpp authorise DIR CONSENT-ID SCOPE", "lets a customer approve a consent"],
  ],
  async run(cli) {
    const [folder, scope, ...more] = readOptions(cli.arguments, {}).rest;
    if (folder === undefined || !isScope(scope) || more.length > 0) {
      throw new UsageError("Give the TPP's folder and the scope.", scopes);
    }
    const { bank, tpp } = await openTppFolder(folder, configuredAddress(configOf(cli.environment)));
    const client = new TppClient({ ...bank, operations: [] }, tpp);
    try {
      const token = await client.clientToken(scope);
      return { lines: [token], json: { access_token: token, scope } };
    } finally {
      client.close();
    }
  },
};
