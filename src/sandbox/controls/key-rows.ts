import Type from "typebox";
import { KeyRefused } from "#src/signing/key-plan.ts";
import type { ShownKey } from "#src/signing/key-store.ts";
import { orNull } from "./common-shapes.ts";
import type { ControlRow } from "./control-row.ts";
import type { SandboxControls } from "./controls.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const text = Type.String({ minLength: 1, maxLength: 4096 });
const time = Type.String({ format: "date-time" });
const closed = { additionalProperties: false };
const states = ["standby", "next", "current", "retired", "ended", "withdrawn"];
const key = Type.Object(
  {
    kid: text,
    state: Type.Union(states.map((state) => Type.Literal(state))),
    location: text,
    publishedFrom: time,
    activeFrom: orNull(time),
    publishedUntil: orNull(time),
    withdrawnAt: orNull(time),
    certificateUntil: orNull(time),
    isUsable: Type.Boolean(),
  },
  { title: "SigningKey" },
);

const refusing = async (change: Promise<ShownKey>): Promise<ShownKey> => {
  try {
    return await change;
  } catch (error) {
    if (error instanceof KeyRefused) throw new SandboxRefusal(409, error.message);
    throw error;
  }
};

/** Reads a date of a request. Throws SandboxRefusal. */
function msOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = Date.parse(given);
  if (!Number.isNaN(ms)) return ms;
  throw new SandboxRefusal(400, `${given} is not a date and time with an offset.`);
}

type Rotation = { kid?: string; at?: string; now?: boolean };

/** The operations on the bank's signing keys. */
export const keyRows: readonly ControlRow[] = [
  {
    route: ["GET", "/signing-keys"],
    operationId: "listSigningKeys",
    summary: "Lists the bank's signing keys. Their dates use the machine's clock.",
    response: { status: 200, schema: Type.Object({ keys: Type.Array(key) }) },
    handle: async ({ signingKeys }) => ({ keys: await signingKeys.list() }),
  },
  {
    route: ["POST", "/signing-keys"],
    operationId: "addSigningKey",
    summary:
      "Adds a signing key and publishes it immediately. Without a location, generates the key.",
    request: Type.Object(
      {
        location: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 4096,
            description: "A file in the sandbox's folder of keys, or `service:` and a name.",
          }),
        ),
      },
      closed,
    ),
    response: { status: 201, schema: key },
    handle: ({ signingKeys }: SandboxControls, body: { location?: string }) =>
      refusing(signingKeys.add(body.location)),
  },
  {
    route: ["POST", "/signing-keys/rotation"],
    operationId: "rotateSigningKey",
    summary: "Sets when the next key begins to sign. Generates the key if there is none.",
    request: Type.Object(
      {
        kid: Type.Optional(text),
        at: Type.Optional(text),
        now: Type.Optional(
          Type.Boolean({
            description: "Uses the key within seconds, even if TPPs do not know it yet.",
          }),
        ),
      },
      closed,
    ),
    response: { status: 200, schema: key },
    handle: ({ signingKeys }: SandboxControls, { kid, at, now = false }: Rotation) =>
      refusing(signingKeys.rotate({ kid, at: msOf(at), isEmergency: now })),
  },
  {
    route: ["POST", "/signing-keys/:kid/retirement"],
    operationId: "retireSigningKey",
    summary: "Ends the publication of a key that does not sign, by default immediately.",
    request: Type.Object({ until: Type.Optional(text) }, closed),
    response: { status: 200, schema: key },
    handle: ({ signingKeys }: SandboxControls, body: { until?: string }, { kid = "" }) =>
      refusing(signingKeys.retire({ kid, until: msOf(body.until) })),
  },
  {
    route: ["POST", "/signing-keys/:kid/withdrawal"],
    operationId: "withdrawSigningKey",
    summary:
      "Ends the publication of a key that must not be trusted. If it is the current key, the next key replaces it.",
    request: Type.Object({}, closed),
    response: { status: 200, schema: key },
    handle: ({ signingKeys }: SandboxControls, _body, { kid = "" }) =>
      refusing(signingKeys.withdraw(kid)),
  },
];
