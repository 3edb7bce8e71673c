import { whyUnknown } from "#src/request-log/explain/wire-ids.ts";
import { type Command, UsageError } from "./command.ts";
import { explanationLines } from "./explanation-lines.ts";
import { readOptions } from "./options.ts";
import { BankRefused } from "./sandbox-client.ts";
import { withRequests } from "./with-requests.ts";

/** `./aldgate explain` */
export const command: Command = {
  name: "explain",
  summary: "says why a request was rejected, or what another id belongs to and how it stands",
  usage: [
    "  ./aldgate explain ID",
    "ID is the interaction id of a request (x-fapi-interaction-id), or the id of a consent, an",
    "order, a grant, an account, a client, an event, … or an auth_req_id. `./aldgate logs` lists",
    "the requests.",
  ].join("\n"),
  json: { "": "what `GET /sandbox/v1/explanations/{id}` returns" },
  next: [
    ["logs ID", "shows the whole request with its checks"],
    ["judge FILE", "judges the corrected request before you send it"],
  ],
  async run(cli) {
    const { rest } = readOptions(cli.arguments, {});
    const [id, ...more] = rest;
    if (id === undefined || more.length > 0) throw new UsageError("Give one id.");
    return withRequests(cli, async (requests) => {
      const explained = await requests.explain(id);
      if (!explained) throw new BankRefused(whyUnknown(id));
      return { lines: explanationLines(explained), json: explained };
    });
  },
};
