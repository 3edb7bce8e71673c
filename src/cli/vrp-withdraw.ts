import { countOf } from "#src/lib/plain-text.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { BankRefused } from "./sandbox-client.ts";
import { withContracts } from "./with-contracts.ts";

/** `./aldgate vrp withdraw` */
export const command: Command = {
  name: "vrp withdraw",
  summary: "withdraws a TPP's contract for variable recurring payments",
  usage: [
    "  ./aldgate vrp withdraw CLIENT_ID CONTRACT_ID",
    "  --end-consents    also cancels the contract's consents; payments in progress continue",
    "The TPP cannot create more consents under the contract. Without --end-consents, it can still use",
    "its earlier consents. --end-consents also works after the contract has been withdrawn.",
  ].join("\n"),
  json: { "": ["clientId", "contractId", "cancelled"] },
  next: [["vrp contracts CLIENT_ID", "shows the contracts and their consents"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { "end-consents": { type: "boolean" } });
    const [clientId, contractId, ...more] = rest;
    if (clientId === undefined || contractId === undefined || more.length > 0) {
      throw new UsageError("Give the TPP's client id and the contract's id.");
    }
    const endsConsents = values["end-consents"] === true;
    const cancelled = await withContracts(cli, (contracts) =>
      contracts.withdraw(clientId, contractId, { endsConsents }),
    );
    if (cancelled === null) throw new BankRefused("The TPP has no such contract.");
    const consents = `${countOf(cancelled, "consent was", "consents were")} cancelled.`;
    const lines = [`The contract ${contractId} is withdrawn. ${consents}`];
    return { lines, json: { clientId, contractId, cancelled } };
  },
};
