import type { ShownContract } from "#src/payments/limits/contract-operations.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { withContracts } from "./with-contracts.ts";

/** `./aldgate vrp contracts` */
export const command: Command = {
  name: "vrp contracts",
  summary: "lists the contracts of TPPs for variable recurring payments",
  usage: [
    "  ./aldgate vrp contracts              all TPPs",
    "  ./aldgate vrp contracts CLIENT_ID    one TPP",
    "Counts the consents of each contract, and how many of them lack each of the codes that a TPP is",
    "expected to send in Risk.",
  ].join("\n"),
  async run(cli) {
    const { rest } = readOptions(cli.arguments, {});
    const [clientId, ...more] = rest;
    if (more.length > 0) throw new UsageError("Give at most one client id.");
    const all = await withContracts(cli, (contracts) => contracts.list());
    const shown = all.filter(
      (contract) => clientId === undefined || contract.clientId === clientId,
    );
    for (const contract of shown) for (const line of linesOf(contract)) cli.print(line);
    if (shown.length === 0) cli.print("There are no contracts.");
    return 0;
  },
};

function linesOf(contract: ShownContract): string[] {
  const { clientId, clientName, contractId, types, purpose, from, until, maximumMinor } = contract;
  const terms = [
    `from ${from}${until === null ? "" : ` to ${until}`}`,
    ...(contract.payeePerPayment ? ["payee per payment"] : []),
    ...(contract.tppAuthenticates ? ["the TPP authenticates customers"] : []),
    ...(maximumMinor === null
      ? []
      : [`at most ${(maximumMinor / 100).toFixed(2)} GBP per payment`]),
  ];
  const { consents, without } = contract;
  const counts = Object.entries(without).map(([name, count]) => `${name} ${count}`);
  return [
    `${clientId}  ${clientName}  ${contractId}  ${types.join("+")}  ${purpose}, ${terms.join(", ")}`,
    `  ${consents} ${consents === 1 ? "consent" : "consents"}; without ${counts.join(", ")}`,
  ];
}
