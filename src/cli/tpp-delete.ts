import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/** `./aldgate tpp delete` */
export const command: Command = {
  name: "tpp delete",
  summary: "removes a TPP from the running sandbox for good",
  usage: [
    "  ./aldgate tpp delete CLIENT_ID   its tokens, access and registration for events end",
    "  --json   prints the id as JSON",
  ].join("\n"),
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { json: { type: "boolean" } });
    const [clientId, ...more] = rest;
    if (clientId === undefined || more.length > 0) throw new UsageError("Give one client id.");
    await configuredSandbox(cli).deleteTpp(clientId);
    cli.print(values.json ? JSON.stringify({ clientId }) : `The TPP ${clientId} is deleted.`);
    return 0;
  },
};
