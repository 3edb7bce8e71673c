import Type from "typebox";
import { whyNotLogged, whyUnknown } from "#src/request-log/explain/wire-ids.ts";
import { FilterFault, filterParameters } from "#src/request-log/filter.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import { orNull } from "./common-shapes.ts";
import type { ControlRow } from "./control-row.ts";
import type { SandboxControls } from "./controls.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const text = Type.String();
const time = Type.String({ format: "date-time" });

const entry = {
  logId: text,
  at: Type.String({ format: "date-time", description: "By the machine's clock." }),
  bankTime: Type.String({ format: "date-time", description: "By the bank's clock." }),
  milliseconds: Type.Number(),
  interactionId: text,
  method: text,
  path: text,
  api: orNull(text),
  operation: orNull(text),
  status: Type.Integer(),
  codes: Type.Array(text),
  clientId: orNull(text),
  consentId: orNull(text),
  resourceId: orNull(text),
  played: orNull(Type.Object({ name: text, text }, { title: "PlayedMisbehaviour" })),
};
const loggedRequest = Type.Object(entry, { title: "LoggedRequest" });
const headers = Type.Object({}, { title: "LoggedHeaders", additionalProperties: text });

/** A signature, examined. */
export const examinedSignature = Type.Object(
  {
    isValid: Type.Boolean(),
    header: orNull(Type.Object({}, { title: "JoseHeader", additionalProperties: true })),
    keyNamed: orNull(text),
    keysKnown: Type.Array(text),
    verified: Type.Object(
      {
        bytes: Type.Integer(),
        sha256: text,
        begin: text,
        signingInput: text,
        bodyBytes: Type.Integer(),
        bodySha256: text,
      },
      { title: "VerifiedBytes" },
    ),
    faults: Type.Array(
      Type.Object({ code: text, path: orNull(text), message: text }, { title: "SignatureFault" }),
    ),
    otherKey: orNull(text),
    difference: orNull(
      Type.Object(
        { form: text, at: Type.Integer(), received: text, signed: text },
        { title: "FirstDifference" },
      ),
    ),
    mistake: orNull(text),
  },
  { title: "ExaminedSignature" },
);

const wholeRequest = Type.Object({
  ...entry,
  checks: Type.Array(
    Type.Object({
      name: text,
      result: Type.Union(
        ["passed", "refused", "not reached", "not needed"].map((word) => Type.Literal(word)),
      ),
      milliseconds: orNull(Type.Number()),
    }),
  ),
  idempotency: orNull(
    Type.Object({
      key: text,
      isReplay: Type.Boolean(),
      firstSeen: orNull(
        Type.Object({ logId: text, at: time, interactionId: text, status: Type.Integer() }),
      ),
    }),
  ),
  bodies: orNull(
    Type.Object({
      query: text,
      requestHeaders: headers,
      request: orNull(text),
      requestBytes: Type.Integer(),
      answerHeaders: headers,
      answer: orNull(text),
      answerBytes: Type.Integer(),
      refusal: Type.Optional(text),
    }),
  ),
  sameInteraction: Type.Array(loggedRequest),
  linked: Type.Object({
    consent: orNull(Type.Object({ consentId: text, kind: text, status: text })),
    order: orNull(Type.Object({ orderId: text, kind: text, status: text })),
    events: Type.Array(
      Type.Object(
        { jti: text, occurredAt: time, state: text, types: Type.Array(text), objectId: text },
        { title: "LinkedEvent" },
      ),
    ),
    ledger: Type.Array(
      Type.Object({
        at: time,
        purpose: text,
        debitAccountId: text,
        creditAccountId: text,
        amount: text,
        currency: text,
      }),
    ),
  }),
});

/** One thing that is wrong, with what stands behind it. */
export const explainedFault = Type.Object(
  {
    code: text,
    meaning: orNull(text),
    message: orNull(text),
    where: orNull(text),
    expected: orNull(text),
    found: orNull(text),
    rules: Type.Array(text),
    sections: Type.Array(text),
    next: orNull(text),
  },
  { title: "ExplainedFault" },
);

/** A fact about what is explained. */
export const explainedFact = Type.Object({ name: text, value: text }, { title: "ExplainedFact" });

const explainedRequest = Type.Object({
  subject: Type.Enum([
    "request",
    "consent",
    "order",
    "account",
    "account data",
    "approval request",
    "client",
    "event",
    "software",
    "subscription",
  ]),
  id: text,
  summary: text,
  faults: Type.Array(explainedFault),
  signature: orNull(examinedSignature),
  facts: Type.Array(explainedFact),
  history: Type.Array(
    Type.Object(
      { at: time, what: text, by: text, interactionId: orNull(text) },
      { title: "HistoryLine" },
    ),
  ),
  next: text,
});

/** The operations on the log of requests. */
export const requestRows: readonly ControlRow[] = [
  {
    route: ["GET", "/requests"],
    operationId: "listRequests",
    summary: "Lists the requests of TPPs, the newest first.",
    query: filterParameters,
    response: {
      status: 200,
      schema: Type.Object({
        requests: Type.Array(loggedRequest),
        next: orNull(text),
        latest: text,
      }),
    },
    async handle(controls, _body, filter) {
      try {
        return await logOf(controls).list(filter);
      } catch (error) {
        if (error instanceof FilterFault) throw new SandboxRefusal(400, error.message);
        throw error;
      }
    },
  },
  {
    route: ["GET", "/requests/:id"],
    operationId: "readRequest",
    summary:
      "Returns one request with its answer and its checks, by its interaction id or its logId.",
    response: { status: 200, schema: wholeRequest },
    async handle(controls, _body, { id = "" }) {
      const found = await logOf(controls).show(id);
      if (!found) throw new SandboxRefusal(404, whyNotLogged(id));
      return found;
    },
  },
  {
    route: ["GET", "/explanations/:id"],
    operationId: "explain",
    summary:
      "Explains what an id of the interface belongs to: why a request was rejected, or how a " +
      "consent, an order, an approval request or an account came to its state.",
    response: { status: 200, schema: explainedRequest },
    async handle(controls, _body, { id = "" }) {
      const explained = await logOf(controls).explain(id);
      if (explained) return explained;
      throw new SandboxRefusal(404, whyUnknown(id));
    },
  },
];

function logOf({ requests }: SandboxControls): LogReader {
  if (requests) return requests;
  throw new SandboxRefusal(409, "The log of requests is switched off: REQUEST_LOG_ENTRIES is 0.");
}
