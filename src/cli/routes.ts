import { listOperations } from "#src/server/list-operations.ts";
import type { Command } from "./command.ts";

/** `./aldgate routes` */
export const command: Command = {
  name: "routes",
  summary: "lists every operation of the APIs, as the rows expand to",
  usage: "Method, path, grant, and the operation's name in the standard.",
  async run(cli) {
    for (const { method, api, path, grant, operationId } of listOperations()) {
      const where = `${api.basePath}${path.replace(/:(\w+)/g, "{$1}")}`;
      cli.print(`${method.padEnd(6)} ${where}  ${grant}  ${operationId}`);
    }
    return 0;
  },
};
