import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { configuredAddress } from "./sandbox-client.ts";
import { openTppFolder } from "./tpp-folder.ts";

/** `./aldgate tpp token` */
export const command: Command = {
  name: "tpp token",
  summary: "prints a client credentials token for a TPP's folder",
  usage: "  ./aldgate tpp token DIR accounts|payments",
  async run(cli) {
    const [folder, scope] = cli.arguments;
    if (folder === undefined || (scope !== "accounts" && scope !== "payments")) {
      throw new UsageError("Give the TPP's folder and the scope.");
    }
    const { bank, tpp } = await openTppFolder(folder, configuredAddress(configOf(cli.environment)));
    const client = new TppClient(bank, tpp);
    try {
      cli.print(await client.clientToken(scope));
      return 0;
    } finally {
      client.close();
    }
  },
};
