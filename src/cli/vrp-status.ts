import { schemeStatuses } from "#src/standard/shared/vrp-types.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { BankRefused } from "./sandbox-client.ts";
import { withContracts } from "./with-contracts.ts";

/** `./aldgate vrp status` */
export const command: Command = {
  name: "vrp status",
  summary: "sets the status of a TPP's organisation in the commercial scheme",
  usage: [
    `  ./aldgate vrp status CLIENT_ID ${schemeStatuses.join(" | ")} | unknown`,
    "If the status is Suspended or Revoked, the TPP can neither create a consent of CVRP1 to CVRP3",
    "nor pay under one. Revoked also ends the consents that are only for these types. With Active,",
    "the TPP needs no contract for these types. The status applies to all clients of the",
    "organisation, from the next request.",
  ].join("\n"),
  json: { "": ["clientId", "status"] },
  next: [["vrp contracts CLIENT_ID", "shows the contracts and their consents"]],
  async run(cli) {
    const [clientId, word, ...more] = readOptions(cli.arguments, {}).rest;
    const status = schemeStatuses.find((one) => one === word) ?? null;
    const isKnown = status !== null || word === "unknown";
    if (clientId === undefined || !isKnown || more.length > 0) {
      throw new UsageError(
        `Give the TPP's client id and ${schemeStatuses.join(", ")} or unknown.`,
        [...schemeStatuses, "unknown"],
      );
    }
    const isSet = await withContracts(cli, (contracts) => contracts.setStatus(clientId, status));
    if (!isSet) throw new BankRefused("There is no TPP with that client id.");
    const shown = status ?? "unknown";
    return { lines: [`The status in the scheme is ${shown}.`], json: { clientId, status: shown } };
  },
};
