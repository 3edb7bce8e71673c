import type { FastifyInstance, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { consentRows } from "#src/channels/consent-rows.ts";
import { answerFailures, type RenderFailure } from "#src/http/failure.ts";
import { interactionIdOf } from "#src/http/headers/request-headers.ts";
import { refusalBody, serveRows } from "#src/http/interface-row.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { outageTexts } from "#src/pages/outage-texts.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import { TppRefused } from "#src/sandbox/directory/issued-tpp.ts";
import { CustomerRefused } from "#src/sandbox/own-data/import-customer.ts";
import type { HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
import { knownTpp, newTpp, tppRequest } from "#src/sandbox/test-tpp/tpp-shapes.ts";
import { ClockGoesForward, endOfTime } from "#src/sandbox/time/clock.ts";
import { actControlRows } from "./act-controls.ts";
import { approvalRows } from "./approval-rows.ts";
import { payeeWarning } from "./approval-shapes.ts";
import { clockRate } from "./clock-shape.ts";
import { checkedContract, contractRows } from "./contract-rows.ts";
import type { ControlRow } from "./control-row.ts";
import type { SandboxControls } from "./controls.ts";
import { customerActRows } from "./customer-act-rows.ts";
import { customerRows } from "./customer-rows.ts";
import { customer } from "./customer-shape.ts";
import { eventRows } from "./event-rows.ts";
import { type ContractRequest, contractAnswer, contractRequest } from "./exchange-contracts.ts";
import { explorerRows } from "./explorer-rows.ts";
import { factRows } from "./fact-rows.ts";
import type { Gate } from "./gate.ts";
import { judgementRows } from "./judgement-rows.ts";
import { keyRows } from "./key-rows.ts";
import { noticeRows } from "./notice-rows.ts";
import { paymentRows } from "./payment-rows.ts";
import { registrationRows } from "./registration-rows.ts";
import { requestRows } from "./request-rows.ts";
import { robustRows } from "./robust-rows.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";
import { worldRows } from "./world-rows.ts";

const text = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description });
const closed = { additionalProperties: false };

const headlessRequest = Type.Object(
  {
    authorizationUrl: text("The URL that a customer's browser would be sent to."),
    customer: text("A persona's login, as GET /sandbox/v1/customers lists them."),
    decision: Type.Union(["approve", "deny", "abandon"].map((word) => Type.Literal(word))),
    accounts: Type.Optional(Type.Array(Type.String(), { description: "AccountIds to choose." })),
  },
  closed,
);
const headlessAnswer = Type.Object({
  redirectUrl: Type.String(),
  warning: payeeWarning,
  note: Type.Optional(Type.String()),
});
const revocation = Type.Object(
  { use: Type.Union([Type.Literal("transport"), Type.Literal("signing")]) },
  closed,
);
const customers = Type.Object({ customers: Type.Array(customer) });
const challenges = Type.Object({
  challenges: Type.Array(
    Type.Object(
      {
        challengeId: Type.String(),
        subject: Type.Object(
          { act: Type.String() },
          { title: "ChallengeSubject", additionalProperties: true },
        ),
        code: Type.Union([Type.String(), Type.Null()]),
        expiresAt: Type.String({ format: "date-time" }),
      },
      { title: "Challenge" },
    ),
  ),
});
const clockTime = Type.Object(
  { now: Type.String({ format: "date-time" }), rate: Type.Integer() },
  { title: "ClockTime" },
);
const clockRequest = Type.Object(
  {
    now: Type.Optional(text("A future date-time with an offset.")),
    advance: Type.Optional(text("An ISO 8601 duration: `PT1H`, `P40D`, `P1M`.")),
    rate: Type.Optional(clockRate),
  },
  closed,
);
const signature = Type.Object(
  {
    decision: Type.Union([Type.Literal("approve"), Type.Literal("reject")]),
    customer: Type.Optional(
      text("Login of the signatory. The default is the next one who has not signed."),
    ),
  },
  closed,
);
const signed = Type.Object({ result: Type.String() });
const verified = Type.Object({ holds: Type.Boolean(), breaches: Type.Array(Type.String()) });

// the bank's own channels have the same operations on the management listener
const ownConsentRows = consentRows.map(
  ({ handle, ...row }): ControlRow => ({
    ...row,
    handle: ({ consents }, body, params) => handle(consents, body, params),
  }),
);

/** The operations of the interface. */
export const controlRows: readonly ControlRow[] = [
  {
    route: ["POST", "/tpps"],
    operationId: "createTpp",
    summary: "Registers a new TPP with keys and certificates, ready to use.",
    request: tppRequest,
    response: { status: 201, schema: newTpp },
    handle: createTpp,
  },
  {
    route: ["GET", "/tpps/:clientId"],
    operationId: "readTpp",
    summary:
      "Returns a TPP with its newest certificates. The sandbox renews certificates 30 days before " +
      "they expire.",
    response: { status: 200, schema: knownTpp },
    handle: (controls, _body, { clientId = "" }) =>
      foundTpp(clientId, (id) => controls.loadTpp(id)),
  },
  {
    route: ["POST", "/authorisations"],
    operationId: "authorise",
    summary: "Completes the consent journey as a persona, without a browser.",
    request: headlessRequest,
    response: { status: 200, schema: headlessAnswer },
    handle: (controls, body: HeadlessRequest) => controls.authorise(body),
  },
  {
    route: ["GET", "/customers"],
    operationId: "listCustomers",
    summary: "Lists the personas with their logins, accounts and identifiers.",
    response: { status: 200, schema: customers },
    handle: async (controls) => ({ customers: await controls.listCustomers() }),
  },
  {
    route: ["GET", "/customers/:login/challenges"],
    operationId: "listChallenges",
    summary: "Lists a persona's open challenges, newest first, each with its code.",
    response: { status: 200, schema: challenges },
    handle: async (controls, _body, { login }) => ({
      challenges: await controls.listChallenges(login ?? ""),
    }),
  },
  {
    route: ["GET", "/clock"],
    operationId: "readClock",
    summary: "Returns the bank's time, and how fast its clock runs.",
    response: { status: 200, schema: clockTime },
    handle: async ({ clock }) => clockOf(clock),
  },
  {
    route: ["PUT", "/clock"],
    operationId: "setClock",
    summary:
      "Moves the clock forward, and processes in order everything that falls due meanwhile; or " +
      "changes how fast it runs.",
    request: clockRequest,
    response: { status: 200, schema: clockTime },
    handle: setClock,
  },
  {
    route: ["POST", "/multi-authorisations/:orderId"],
    operationId: "signOrder",
    summary: "Approves or rejects a payment order as a further signatory.",
    request: signature,
    response: { status: 200, schema: signed },
    handle: sign,
  },
  {
    route: ["POST", "/exchange-contracts"],
    operationId: "agreeContract",
    summary: "Creates an exchange contract, for payments with RateType Agreed.",
    request: contractRequest,
    response: { status: 201, schema: contractAnswer },
    handle: (controls, body: ContractRequest) => controls.agreeContract(body),
  },
  ...explorerRows,
  {
    route: ["GET", "/verify"],
    operationId: "verify",
    summary: "Checks the invariants of the ledger and the orders.",
    response: { status: 200, schema: verified },
    async handle(controls) {
      const breaches = await controls.verify();
      return { holds: breaches.length === 0, breaches };
    },
  },
  {
    route: ["POST", "/tpps/:clientId/revocations"],
    operationId: "revokeCertificate",
    summary:
      "Revokes a TPP's newest certificate, and returns the TPP with another one for the same key. " +
      "Within seconds, the bank refuses the revoked certificate.",
    request: revocation,
    response: { status: 200, schema: knownTpp },
    handle: (controls, { use }: Static<typeof revocation>, { clientId = "" }) =>
      foundTpp(clientId, (id) =>
        controls.revokeCertificate(id, use === "transport" ? "client" : "signing"),
      ),
  },
  ...customerRows,
  ...actControlRows,
  ...customerActRows,
  ...approvalRows,
  ...ownConsentRows,
  ...contractRows,
  ...eventRows,
  ...registrationRows,
  ...keyRows,
  ...paymentRows,
  ...factRows,
  ...noticeRows,
  ...worldRows,
  ...requestRows,
  ...judgementRows,
  ...robustRows,
];

const clockOf = (clock: SandboxControls["clock"]): object => ({
  now: clock.now().toString(),
  rate: clock.rate(),
});

async function setClock(
  controls: SandboxControls,
  { rate, ...move }: Static<typeof clockRequest>,
): Promise<object> {
  const { clock } = controls;
  if (rate === undefined || Object.keys(move).length > 0) await moveClock(controls, move);
  if (rate !== undefined) await clock.setRate(rate);
  return clockOf(clock);
}

// a time to which the clock can be set
const nextDay = (clock: SandboxControls["clock"]): string =>
  formatInstant(clock.now().round("second").add({ hours: 24 }));

async function moveClock(
  { clock, engine }: SandboxControls,
  body: { now?: string; advance?: string },
): Promise<void> {
  if ((body.now === undefined) === (body.advance === undefined)) {
    throw new SandboxRefusal(400, "Give either `now` or `advance`, or a `rate`.");
  }
  let target: Temporal.Instant;
  try {
    target =
      body.now !== undefined
        ? Temporal.Instant.from(body.now)
        : clock
            .now()
            .toZonedDateTimeISO("UTC")
            .add(Temporal.Duration.from(body.advance ?? ""))
            .toInstant();
  } catch {
    throw new SandboxRefusal(
      400,
      body.now !== undefined
        ? `\`now\` must be a date-time with an offset, such as ${nextDay(clock)}.`
        : "`advance` must be an ISO 8601 duration, such as P40D or PT2H.",
    );
  }
  if (Temporal.Instant.compare(target, endOfTime) > 0) {
    throw new SandboxRefusal(400, `The clock cannot go beyond ${endOfTime}.`);
  }
  try {
    await clock.advanceTo(target, engine);
  } catch (error) {
    if (!(error instanceof ClockGoesForward)) throw error;
    throw new SandboxRefusal(400, `The clock only goes forward: ${error.message}.`);
  }
}

/** Registers a new TPP, and returns what its developer needs: its ids, keys and certificates. */
export async function createTpp(controls: SandboxControls, body: TppRequest): Promise<object> {
  body.vrpContracts?.forEach(checkedContract);
  const made = await controls.createTpp(body);
  const shown = Object.keys(newTpp.properties);
  return Object.fromEntries(Object.entries(made).filter(([name]) => shown.includes(name)));
}

async function foundTpp(
  clientId: string,
  load: (clientId: string) => Promise<object | null>,
): Promise<object> {
  const tpp = /^[\w-]{1,64}$/.test(clientId) ? await load(clientId) : null;
  if (!tpp) throw new SandboxRefusal(404, "There is no TPP with that client id.");
  return tpp;
}

const noOrder = "There is no order with that id.";
const signatureRefusals: Record<string, SandboxRefusal> = {
  notFound: new SandboxRefusal(404, noOrder),
  notYours: new SandboxRefusal(409, "That customer may not sign for the order's account."),
  alreadySigned: new SandboxRefusal(409, "That customer has already signed."),
  notWaiting: new SandboxRefusal(409, "The order is not waiting for a signature."),
};

async function sign(
  controls: SandboxControls,
  body: { decision: "approve" | "reject"; customer?: string },
  params: Record<string, string>,
): Promise<object> {
  const { orderId = "" } = params;
  if (!/^[\w-]{1,64}$/.test(orderId)) throw new SandboxRefusal(404, noOrder);
  const result = await controls.sign(orderId, body.decision, body.customer);
  if (result === null)
    throw new SandboxRefusal(409, "Everyone who may sign the order has already signed.");
  const refusal = signatureRefusals[result];
  if (refusal) throw refusal;
  return { result };
}

/** Serves the sandbox's own interface below /sandbox/v1, to callers that the gate accepts. */
export function registerSandboxInterface(
  app: FastifyInstance,
  controls: SandboxControls,
  gate: Gate,
): void {
  void app.register(
    async (scope) => {
      scope.addHook("onRequest", async (request, reply) => {
        reply.header("cache-control", "no-store");
        const refusal = gate.judge(request);
        if (!refusal) return undefined;
        if (refusal.status === 401) reply.header("www-authenticate", "Bearer");
        return reply.code(refusal.status).send({ message: refusal.message, faults: [] });
      });
      // without a preflight, a page of another origin can send forms and plain text, but not JSON
      scope.removeContentTypeParser(["text/plain", "application/x-www-form-urlencoded"]);
      answerFailures(scope, renderFailure);
      serveRows(scope, controlRows, controls);
    },
    { prefix: "/sandbox/v1" },
  );
}

const messages: Record<number, string> = {
  415: "The body must be JSON: send `Content-Type: application/json`.",
  500: "The sandbox failed. The log gives the reason.",
};

const renderFailure: RenderFailure = ({ error, status, outage, headers }, request, reply) => {
  if (outage) {
    const reference = interactionIdOf(request, reply).value;
    const message = `${outageTexts[outage.part]} The reference in the log is ${reference}.`;
    return reply.code(status).headers(headers).send({ message, faults: [] });
  }
  if (error instanceof CustomerRefused) {
    return reply.code(status).send(refusalBody(error.message, error.faults));
  }
  if (error instanceof TppRefused) {
    const message = "The TPP cannot be registered with these values.";
    return reply.code(status).send({ message, faults: error.faults });
  }
  const message = status === 413 ? tooLarge(request.routeOptions) : messages[status];
  return reply.code(status).send({ message: message ?? error.message, faults: [] });
};

const tooLarge = ({ bodyLimit }: FastifyRequest["routeOptions"]): string =>
  `The body is too large: this control takes at most ${bodyLimit.toLocaleString("en")} bytes.`;
