import { listOperations } from "#src/server/routes/list-operations.ts";
import {
  describeRegistration,
  describeRoutes,
  listRoutes,
  renderRoutes,
} from "#src/server/routes/route-list.ts";
import { type Command, UsageError } from "./command.ts";
import { optionsOnly, readOptions } from "./options.ts";

/** `./aldgate routes` */
export const command: Command = {
  name: "routes",
  summary:
    "lists every operation of the APIs and of registration; --steps adds the checks in order",
  usage:
    "Shows the method, path, API version, grant, and name in the standard of each operation.\n\n" +
    "  --steps       lists the checks of each operation's requests, in order\n" +
    "  --reference   prints the page of all routes (docs/routes.md) as Markdown",
  json: { "": ["operations"], "--reference": ["markdown"] },
  next: [["openapi API", "prints the bodies of an API's operations"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      steps: { type: "boolean" },
      reference: { type: "boolean" },
    });
    if (rest.length > 0) throw new UsageError(optionsOnly);
    const operations = listOperations(await cli.kinds());
    if (values.reference) {
      const markdown = renderRoutes(operations);
      return { lines: [markdown], json: { markdown } };
    }
    const steps = { steps: !!values.steps };
    const lines = [...describeRoutes(operations, steps), ...describeRegistration(steps)];
    return { lines, json: { operations: listRoutes(operations) } };
  },
};
