import Type, { type Static } from "typebox";
import { knownId } from "./common-shapes.ts";
import type { ControlRow } from "./control-row.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const time = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
const text = Type.String();

const receivers = Type.Object({
  receivers: Type.Array(
    Type.Object(
      {
        clientId: text,
        callbackUrl: Type.Union([text, Type.Null()]),
        status: Type.Union([Type.Literal("active"), Type.Literal("unresponsive")]),
        failingSince: time,
        probeAt: time,
        waiting: Type.Integer(),
        undelivered: Type.Integer(),
        oldest: time,
      },
      { title: "EventReceiver" },
    ),
  ),
});
const states = ["waiting", "undelivered", "accepted", "refused", "dropped"] as const;
const events = Type.Object({
  events: Type.Array(
    Type.Object(
      {
        jti: text,
        occurredAt: Type.String({ format: "date-time" }),
        state: Type.Union(states.map((state) => Type.Literal(state))),
        types: Type.Array(text),
        objectKind: text,
        objectId: text,
        attempts: Type.Integer(),
        nextTryAt: time,
        settledAt: time,
        error: Type.Union([
          Type.Object({}, { title: "EventError", additionalProperties: true }),
          Type.Null(),
        ]),
      },
      { title: "StoredEvent" },
    ),
  ),
});
const resendRequest = Type.Object(
  {
    jtis: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        minItems: 1,
        maxItems: 1000,
        description: "The ids of the events. Give either `jtis` or `days`, or neither.",
      }),
    ),
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: "Sends all events of the last `days` days again, even if they were accepted.",
      }),
    ),
  },
  { additionalProperties: false, description: "By default, undelivered events are sent again." },
);

/** The operations that list and resend events. Source: EV-22, EV-23. */
export const eventRows: readonly ControlRow[] = [
  {
    route: ["GET", "/events"],
    operationId: "listEventReceivers",
    summary: "Lists the TPPs that are registered for events, with the state of their endpoints.",
    response: { status: 200, schema: receivers },
    handle: async ({ events }) => ({ receivers: await events.listReceivers() }),
  },
  {
    route: ["GET", "/tpps/:clientId/events"],
    operationId: "listEvents",
    summary: "Lists the newest 100 events of a TPP, with the number of attempts to send each.",
    response: { status: 200, schema: events },
    handle: async ({ events }, _body, { clientId = "" }) => ({
      events: await events.list(knownId(clientId)),
    }),
  },
  {
    route: ["POST", "/tpps/:clientId/events/resend"],
    operationId: "resendEvents",
    summary: "Sends events of a TPP again, with the same ids.",
    request: resendRequest,
    response: { status: 200, schema: Type.Object({ count: Type.Integer() }) },
    async handle({ events }, body: Static<typeof resendRequest>, { clientId = "" }) {
      const { jtis, days } = body;
      if (jtis && days) throw new SandboxRefusal(400, "Give either `jtis` or `days`, not both.");
      const request = jtis ? { jtis } : days ? { days } : "undelivered";
      const count = await events.resend(knownId(clientId), request);
      if (count === null) throw new SandboxRefusal(404, "The TPP is not registered for events.");
      return { count };
    },
  },
];
