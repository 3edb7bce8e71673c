import Type, { type Static } from "typebox";
import { contractTerms, date } from "#src/sandbox/test-tpp/contract-shapes.ts";
import { schemeStatuses } from "#src/standard/shared/vrp-types.ts";
import type { ControlRow } from "./control-row.ts";
import type { SandboxControls } from "./controls.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const text = Type.String();

const closed = { additionalProperties: false };
const contractRequest = Type.Object(contractTerms, closed);
const contracts = Type.Object({
  contracts: Type.Array(
    Type.Object(
      {
        clientId: text,
        clientName: text,
        contractId: text,
        ...Type.Required(Type.Object(contractTerms)).properties,
        consents: Type.Integer(),
        without: Type.Record(Type.String(), Type.Integer()),
      },
      { title: "VrpContract" },
    ),
  ),
});
const withdrawal = Type.Object(
  {
    endsConsents: Type.Optional(
      Type.Boolean({
        description:
          "Also cancels the consents of the contract. By default, they can still be used.",
      }),
    ),
  },
  closed,
);
const schemeStatus = Type.Object(
  {
    status: Type.Union([...schemeStatuses.map((status) => Type.Literal(status)), Type.Null()], {
      description: "Null removes the organisation from the scheme's list.",
    }),
  },
  { ...closed, title: "SchemeStatus" },
);
const meteringRequest = Type.Object(
  {
    from: date("The first day, in London."),
    until: date("The last day, in London."),
    asOf: Type.Optional(
      Type.String({
        format: "date-time",
        description: "Lists the statuses at this time. The default is the current time.",
      }),
    ),
  },
  closed,
);
const metered = Type.Object({
  payments: Type.Array(
    Type.Object(
      {
        clientId: text,
        contractId: text,
        consentId: text,
        orderId: text,
        type: text,
        amount: text,
        currency: text,
        date: text,
        status: text,
        statusSince: text,
        outcome: text,
      },
      { title: "MeteredPayment" },
    ),
  ),
});

/** The operations on contracts for variable recurring payments. Source: B-180, B-183. */
export const contractRows: readonly ControlRow[] = [
  {
    route: ["GET", "/vrp-contracts"],
    operationId: "listVrpContracts",
    summary: "Lists the contracts of TPPs for variable recurring payments.",
    response: { status: 200, schema: contracts },
    handle: async ({ contracts: operations }) => ({ contracts: await operations.list() }),
  },
  {
    route: ["PUT", "/tpps/:clientId/vrp-contracts/:contractId"],
    operationId: "grantVrpContract",
    summary: "Grants a TPP a contract for variable recurring payments, or replaces it.",
    request: contractRequest,
    response: { status: 200, schema: Type.Object({ contractId: text }) },
    async handle({ contracts: operations }, body: Static<typeof contractRequest>, params) {
      const { clientId, contractId } = idsOf(params);
      const contract = checkedContract({ contractId, ...body });
      if (!(await operations.grant(clientId, contract))) throw noTpp;
      return { contractId };
    },
  },
  {
    route: ["POST", "/tpps/:clientId/vrp-contracts/:contractId/withdrawal"],
    operationId: "withdrawVrpContract",
    summary: "Withdraws a contract for variable recurring payments.",
    request: withdrawal,
    response: { status: 200, schema: Type.Object({ cancelled: Type.Integer() }) },
    async handle({ contracts: operations }, body: Static<typeof withdrawal>, params) {
      const { clientId, contractId } = idsOf(params);
      const { endsConsents = false } = body;
      const cancelled = await operations.withdraw(clientId, contractId, { endsConsents });
      if (cancelled === null) throw new SandboxRefusal(404, "The TPP has no such contract.");
      return { cancelled };
    },
  },
  {
    route: ["PUT", "/tpps/:clientId/scheme-status"],
    operationId: "setSchemeStatus",
    summary: "Sets the status of a TPP's organisation in the commercial scheme (CVRP1 to CVRP3).",
    request: schemeStatus,
    response: { status: 200, schema: schemeStatus },
    async handle({ contracts: operations }, body: Static<typeof schemeStatus>, params) {
      const { clientId } = idsOf({ ...params, contractId: "any" });
      if (!(await operations.setStatus(clientId, body.status))) throw noTpp;
      return body;
    },
  },
  {
    route: ["POST", "/vrp-metering"],
    operationId: "meterVrpPayments",
    summary: "Lists the payments that TPPs have made under contracts in a period.",
    request: meteringRequest,
    response: { status: 200, schema: metered },
    handle: meter,
  },
];

const noTpp = new SandboxRefusal(404, "There is no TPP with that client id.");

// an invalid id is treated as an unknown id
function idsOf({ clientId = "", contractId = "" }: Record<string, string>) {
  if (!/^[\w-]{1,64}$/.test(clientId)) throw noTpp;
  if (!/^[\w-]{1,40}$/.test(contractId)) {
    const message = "The contract's id must have 1 to 40 letters, digits, hyphens or underscores.";
    throw new SandboxRefusal(400, message);
  }
  return { clientId, contractId };
}

/** Returns a contract. Throws if its last day is before its first. */
export function checkedContract<Contract extends { from?: string; until?: string | null }>(
  contract: Contract,
): Contract {
  const { from, until } = contract;
  if (from !== undefined && until != null && until < from) {
    throw new SandboxRefusal(400, "`until` must not be before `from`.");
  }
  return contract;
}

async function meter(
  { contracts: operations, clock }: SandboxControls,
  { from, until, asOf }: Static<typeof meteringRequest>,
): Promise<object> {
  const payments = operations.meter({
    from: Temporal.PlainDate.from(from),
    until: Temporal.PlainDate.from(until),
    asOf: asOf === undefined ? clock.now() : Temporal.Instant.from(asOf),
  });
  return { payments: await Array.fromAsync(payments) };
}
