import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/** `./aldgate tpp delete` */
export const command: Command = {
  name: "tpp delete",
  summary: "permanently removes a TPP from the running sandbox",
  usage: [
    "  ./aldgate tpp delete CLIENT_ID   ends its tokens, access and registration for events",
  ].join("\n"),
  json: { "": ["clientId"] },
  next: [["tpp create --out DIR", "registers another TPP"]],
  async run(cli) {
    const { rest } = readOptions(cli.arguments, {});
    const [clientId, ...more] = rest;
    if (clientId === undefined || more.length > 0) throw new UsageError("Give one client id.");
    await configuredSandbox(cli).deleteTpp(clientId);
    return { lines: [`The TPP ${clientId} is deleted.`], json: { clientId } };
  },
};
