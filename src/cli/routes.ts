import { listOperations } from "#src/server/routes/list-operations.ts";
import {
  describeRegistration,
  describeRoutes,
  renderRoutes,
} from "#src/server/routes/route-list.ts";
import type { Command } from "./command.ts";
import { readOptions } from "./options.ts";

/** `./aldgate routes` */
export const command: Command = {
  name: "routes",
  summary:
    "lists every operation of the APIs and of registration; --steps adds the order of its checks",
  usage:
    "Method, path, API version, the operation's name in the standard, and its grant.\n\n" +
    "  --steps       the checks of each operation's requests, in order\n" +
    "  --reference   the page of all routes (docs/routes.md) as Markdown",
  async run(cli) {
    const { values } = readOptions(cli.arguments, {
      steps: { type: "boolean" },
      reference: { type: "boolean" },
    });
    const operations = listOperations(await cli.kinds());
    if (values.reference) cli.print(renderRoutes(operations));
    else {
      const steps = { steps: !!values.steps };
      for (const line of describeRoutes(operations, steps)) cli.print(line);
      for (const line of describeRegistration(steps)) cli.print(line);
    }
    return 0;
  },
};
