import { countOf } from "#src/lib/plain-text.ts";
import type { ShownContract } from "#src/payments/limits/contract-operations.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { withContracts } from "./with-contracts.ts";

/** `./aldgate vrp contracts` */
export const command: Command = {
  name: "vrp contracts",
  summary: "lists TPPs' contracts for variable recurring payments",
  usage: [
    "  ./aldgate vrp contracts              all TPPs",
    "  ./aldgate vrp contracts CLIENT_ID    one TPP",
    "Counts the consents under each contract. For each code that a TPP should send in Risk, it also",
    "counts the consents that lack the code.",
  ].join("\n"),
  json: { "": ["contracts"] },
  next: [
    ["vrp metering --month YYYY-MM", "lists the payments under contracts"],
    ["vrp withdraw CLIENT_ID CONTRACT_ID", "withdraws a contract"],
  ],
  async run(cli) {
    const { rest } = readOptions(cli.arguments, {});
    const [clientId, ...more] = rest;
    if (more.length > 0) throw new UsageError("Give at most one client id.");
    const all = await withContracts(cli, (contracts) => contracts.list());
    const shown = all.filter(
      (contract) => clientId === undefined || contract.clientId === clientId,
    );
    const lines = shown.length === 0 ? ["There are no contracts."] : shown.flatMap(linesOf);
    return { lines, json: { contracts: shown } };
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
    `  ${countOf(consents, "consent", "consents")}; without ${counts.join(", ")}`,
  ];
}
