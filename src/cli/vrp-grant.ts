import { vrpPurposes } from "#src/clients/vrp-contracts.ts";
import { parseAmount } from "#src/lib/money.ts";
import type { GrantedContract } from "#src/payments/limits/contract-operations.ts";
import { commercialVrpTypes } from "#src/standard/shared/vrp-types.ts";
import { type Command, UsageError } from "./command.ts";
import { dateOf, readOptions, textOf } from "./options.ts";
import { BankRefused } from "./sandbox-client.ts";
import { withContracts } from "./with-contracts.ts";

const prefix = "UK.OBIE.VRPType.";
const names = commercialVrpTypes.map((type) => type.slice(prefix.length));

/** `./aldgate vrp grant` */
export const command: Command = {
  name: "vrp grant",
  summary: "lets a TPP create consents to variable recurring payments other than sweeping",
  usage: [
    "  ./aldgate vrp grant CLIENT_ID CONTRACT_ID --types LIST --purpose PURPOSE",
    `  --types LIST            ${names.join(",")}`,
    `  --purpose PURPOSE       what customers pay for: ${vrpPurposes.join(", ")}`,
    "  --from DATE             first day for new consents (default: today)",
    "  --until DATE            last day for new consents (default: none)",
    "  --maximum AMOUNT        largest MaximumIndividualAmount, in pounds (default: none)",
    "  --payee-per-payment     consents may omit the payee; each payment must then name its payee",
    "  --tpp-authenticates     the TPP may authenticate customers (UK.OBIE.SCA)",
    "A contract with the same id is replaced. Earlier consents keep the terms they were created with.",
  ].join("\n"),
  json: { "": ["clientId", "contract"] },
  next: [["vrp contracts CLIENT_ID", "shows the contracts and their consents"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      types: { type: "string" },
      purpose: { type: "string" },
      from: { type: "string" },
      until: { type: "string" },
      maximum: { type: "string" },
      "payee-per-payment": { type: "boolean" },
      "tpp-authenticates": { type: "boolean" },
    });
    const [clientId, contractId, ...more] = rest;
    if (clientId === undefined || contractId === undefined || more.length > 0) {
      throw new UsageError("Give the TPP's client id and the contract's id.");
    }
    const contract = contractOf(contractId, values);
    if (!(await withContracts(cli, (contracts) => contracts.grant(clientId, contract)))) {
      throw new BankRefused("There is no TPP with that client id.");
    }
    const lines = [`${clientId} has the contract ${contractId}.`];
    return { lines, json: { clientId, contract } };
  },
};

function contractOf(
  contractId: string,
  values: Record<string, string | boolean | undefined>,
): GrantedContract {
  if (!/^[\w-]{1,40}$/.test(contractId)) {
    const message = "The contract's id must have 1 to 40 letters, digits, hyphens or underscores.";
    throw new UsageError(message);
  }
  const types = (textOf(values.types) ?? "").split(",").map((name) => {
    const type = commercialVrpTypes.find((known) => known.slice(prefix.length) === name);
    if (!type) throw new UsageError(`--types must be one or more of ${names.join(", ")}.`, names);
    return type;
  });
  const purpose = vrpPurposes.find((known) => known === values.purpose);
  if (!purpose) {
    throw new UsageError(`--purpose must be one of ${vrpPurposes.join(", ")}.`, vrpPurposes);
  }
  const [from, until] = [dateOf("from", values.from), dateOf("until", values.until)];
  if (from && until && Temporal.PlainDate.compare(until, from) < 0) {
    throw new UsageError("--until must not be before --from.");
  }
  const maximum = textOf(values.maximum);
  const maximumMinor = maximum === undefined ? null : parseAmount(maximum, "GBP");
  if (maximum !== undefined && (maximumMinor === null || maximumMinor <= 0n)) {
    throw new UsageError("--maximum must be an amount in pounds, such as 250.00.");
  }
  return {
    contractId,
    types,
    purpose,
    ...(from ? { from: from.toString() } : {}),
    until: until?.toString() ?? null,
    payeePerPayment: values["payee-per-payment"] === true,
    tppAuthenticates: values["tpp-authenticates"] === true,
    maximumMinor: maximumMinor === null ? null : Number(maximumMinor),
  };
}
