import { type Command, UsageError } from "./command.ts";
import { explanationLines } from "./explanation-lines.ts";
import { readOptions } from "./options.ts";
import { BankRefused } from "./sandbox-client.ts";
import { withRequests } from "./with-requests.ts";

/** `./aldgate explain` */
export const command: Command = {
  name: "explain",
  summary: "says why a request was rejected, or how a consent or an order came to its status",
  usage: [
    "  ./aldgate explain ID [--json]",
    "ID is the interaction id of a request (x-fapi-interaction-id), or the id of a consent, an",
    "order or a grant. `./aldgate logs` lists the requests.",
  ].join("\n"),
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { json: { type: "boolean" } });
    const [id, ...more] = rest;
    if (id === undefined || more.length > 0) throw new UsageError("Give one id.");
    return withRequests(cli, async (requests) => {
      const explained = await requests.explain(id);
      if (!explained)
        throw new BankRefused(`Nothing has the id ${id}, or it is older than the log.`);
      if (values.json) cli.print(JSON.stringify(explained, null, 2));
      else for (const line of explanationLines(explained)) cli.print(line);
      return 0;
    });
  },
};
