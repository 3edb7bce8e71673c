import Type, { type Static } from "typebox";
import { type ProfileId, profileIds } from "#src/clients/security-profile.ts";
import { clockRate } from "./clock-shape.ts";
import { customer } from "./customer-shape.ts";

const text = Type.String();
const time = Type.String({ format: "date-time" });
const closed = { additionalProperties: false };

/** The form of a world's name: a label of a host name. */
export const worldName = /^[a-z](?:[a-z0-9-]{0,28}[a-z0-9])?$/;

/** Why nothing can be done with a world of this name. */
export const unknownWorld = (name: string): string =>
  `There is no world "${name}". ./aldgate worlds list prints the names of all.`;

/** The body of a request for a world. */
export const worldRequest = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: worldName.source,
        description:
          "1 to 30 lower-case letters, digits and hyphens. By default, the sandbox chooses a name.",
      }),
    ),
    clock: Type.Optional(
      Type.Object(
        {
          start: Type.Optional(
            Type.String({
              maxLength: 40,
              description:
                "The world's time when it begins: a date-time with an offset, in this century. The " +
                "customers' history ends on that day. The default is now.",
            }),
          ),
          rate: Type.Optional(clockRate),
        },
        { ...closed, title: "WorldClock" },
      ),
    ),
  },
  closed,
);
const snapshotName = Type.String({
  pattern: worldName.source,
  description: "1 to 30 lower-case letters, digits and hyphens.",
});

/** The body of a request for a snapshot. */
export const snapshotRequest = Type.Object({ name: Type.Optional(snapshotName) }, closed);

/** The body of a request to restore a snapshot. */
export const restoreRequest = Type.Object(
  {
    snapshot: Type.Optional(
      Type.String({ ...snapshotName, description: "The default is the newest snapshot." }),
    ),
  },
  closed,
);

/** The body of a request for a copy of a world. */
export const forkRequest = Type.Object(
  {
    name: worldRequest.properties.name,
    snapshot: Type.Optional(
      Type.String({ ...snapshotName, description: "By default, the world as it is now." }),
    ),
  },
  closed,
);

/** A request for a new world. */
export type WorldRequest = Static<typeof worldRequest>;
/** A request for a snapshot. */
export type SnapshotRequest = Static<typeof snapshotRequest>;
/** A request to restore a snapshot. */
export type RestoreRequest = Static<typeof restoreRequest>;
/** A request for a copy of a world. */
export type ForkRequest = Static<typeof forkRequest>;

const state = Type.Union([Type.Literal("open"), Type.Literal("closed")], {
  description: "A closed world opens at the first connection to it.",
});
const summary = {
  name: text,
  state,
  createdAt: time,
  publicUrl: Type.String({ description: "The base URL for browsers, and the home page." }),
  mtlsUrl: Type.String({ description: "The base URL of the APIs, over mutual TLS." }),
  issuer: text,
  clock: Type.Object(
    { start: Type.Union([time, Type.Null()]), rate: Type.Integer() },
    {
      title: "ClockBeginning",
      description: "How its clock begins, and begins again after a reset.",
    },
  ),
  now: Type.Union([time, Type.Null()], {
    description: "The world's time; null while it is closed.",
  }),
  snapshots: Type.Array(
    Type.Object(
      {
        name: text,
        createdAt: time,
        now: Type.String({ ...time, description: "The world's time." }),
      },
      { title: "WorldSnapshot" },
    ),
  ),
};
const file = Type.String({ description: "Its path on the sandbox's machine." });
const keyPair = {
  privateKeyPem: text,
  privateKeyFile: file,
  certificatePem: text,
  certificateFile: file,
};
const worldTpp = Type.Object(
  {
    name: text,
    clientId: text,
    organisationId: text,
    softwareId: text,
    roles: Type.Array(text),
    redirectUris: Type.Array(text),
    tokenEndpointAuthMethod: Type.Union([
      Type.Literal("private_key_jwt"),
      Type.Literal("tls_client_auth"),
    ]),
    certificateBound: Type.Boolean(),
    profile: Type.Unsafe<ProfileId>(Type.Union(profileIds.map((id) => Type.Literal(id)))),
    softwareStatement: text,
    signing: Type.Object({ kid: text, ...keyPair }, { title: "WorldSigningKey" }),
    transport: Type.Object(keyPair, { title: "WorldTransportKey" }),
  },
  { title: "WorldTpp" },
);
/** The response body about a world. */
export const shownWorld = Type.Object(
  {
    ...summary,
    now: Type.String({ format: "date-time", description: "The world's time." }),
    caPem: Type.String({ description: "The root of the bank's and the TPPs' certificates." }),
    caFile: file,
    tpps: Type.Array(worldTpp, { description: "The TPPs that are ready to use." }),
    customers: Type.Array(customer),
  },
  { title: "World" },
);
/** An item of the list of worlds. */
export const worldSummary = Type.Object(summary, { title: "WorldSummary" });

/** A world in a list. */
export type WorldSummary = Static<typeof worldSummary>;
/** A world with everything that a test needs. */
export type ShownWorld = Static<typeof shownWorld>;

/** The worlds of a sandbox. Its functions throw SandboxRefusal. */
export type WorldControls = {
  /** Opens a new world. */
  open(request: WorldRequest): Promise<ShownWorld>;
  /** Lists the worlds by name. */
  list(): WorldSummary[];
  /** Returns a world, and opens it if it is closed. */
  show(name: string): Promise<ShownWorld>;
  /** Deletes a world with its data, snapshots and keys. */
  delete(name: string): Promise<void>;
  /** Gives a world its first data, and lets its clock begin again. Its TPPs stay. */
  reset(name: string): Promise<ShownWorld>;
  /** Keeps the data of a world under a name. */
  snapshot(name: string, request: SnapshotRequest): Promise<WorldSummary>;
  /** Gives a world the data of a snapshot, and its time. TPPs that are newer stay. */
  restore(name: string, request: RestoreRequest): Promise<ShownWorld>;
  /** Opens a copy of a world, or of its snapshot, with the same TPPs and keys. */
  fork(name: string, request: ForkRequest): Promise<ShownWorld>;
  deleteSnapshot(name: string, snapshot: string): Promise<WorldSummary>;
};
