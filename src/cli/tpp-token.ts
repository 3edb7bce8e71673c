import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { isScope } from "#src/standard/api-version.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { configuredAddress } from "./sandbox-client.ts";
import { openTppFolder } from "./tpp-folder.ts";

/** `./aldgate tpp token` */
export const command: Command = {
  name: "tpp token",
  summary: "prints a client credentials token for a TPP's folder",
  usage: "  ./aldgate tpp token DIR accounts|payments|fundsconfirmations",
  async run(cli) {
    const [folder, scope] = cli.arguments;
    if (folder === undefined || !isScope(scope)) {
      throw new UsageError("Give the TPP's folder and the scope.");
    }
    const { bank, tpp } = await openTppFolder(folder, configuredAddress(configOf(cli.environment)));
    const client = new TppClient({ ...bank, operations: [] }, tpp);
    try {
      cli.print(await client.clientToken(scope));
      return 0;
    } finally {
      client.close();
    }
  },
};
