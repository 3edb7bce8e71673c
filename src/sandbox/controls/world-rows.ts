import Type from "typebox";
import type { ControlRow } from "./control-row.ts";
import type { SandboxControls } from "./controls.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";
import {
  type ForkRequest,
  forkRequest,
  type RestoreRequest,
  restoreRequest,
  type SnapshotRequest,
  shownWorld,
  snapshotRequest,
  unknownWorld,
  type WorldControls,
  type WorldRequest,
  worldName,
  worldRequest,
  worldSummary,
} from "./world-shapes.ts";

function worldsOf({ worlds }: SandboxControls): WorldControls {
  if (worlds) return worlds;
  throw new SandboxRefusal(
    409,
    "This bank has no worlds. Ask the sandbox that `npm start` opens: a world has none of its own.",
  );
}

const nameOf = ({ name = "" }: Record<string, string>): string => {
  if (worldName.test(name)) return name;
  throw new SandboxRefusal(404, unknownWorld(name));
};

/** The operations on worlds. */
export const worldRows: readonly ControlRow[] = [
  {
    route: ["POST", "/worlds"],
    operationId: "openWorld",
    summary: "Opens a world: a sandbox with its own customers, TPPs, clock, keys and issuer.",
    request: worldRequest,
    response: { status: 201, schema: shownWorld },
    handle: async (controls, body: WorldRequest) => worldsOf(controls).open(body),
  },
  {
    route: ["GET", "/worlds"],
    operationId: "listWorlds",
    summary: "Lists the worlds.",
    response: {
      status: 200,
      schema: Type.Object({ worlds: Type.Array(worldSummary) }),
    },
    handle: async (controls) => ({ worlds: worldsOf(controls).list() }),
  },
  {
    route: ["GET", "/worlds/:name"],
    operationId: "showWorld",
    summary: "Returns a world with its addresses, ready TPPs, keys and customers.",
    response: { status: 200, schema: shownWorld },
    handle: async (controls, _body, params) => worldsOf(controls).show(nameOf(params)),
  },
  {
    route: ["DELETE", "/worlds/:name"],
    operationId: "deleteWorld",
    summary: "Deletes a world with its data, snapshots and keys.",
    response: { status: 200, schema: Type.Object({ name: Type.String() }) },
    async handle(controls, _body, params) {
      const name = nameOf(params);
      await worldsOf(controls).delete(name);
      return { name };
    },
  },
  {
    route: ["POST", "/worlds/:name/reset"],
    operationId: "resetWorld",
    summary:
      "Gives a world its first customers, accounts and balances, and lets its clock begin again. " +
      "Its TPPs stay; their consents and orders go.",
    request: Type.Object({}, { additionalProperties: false }),
    response: { status: 200, schema: shownWorld },
    handle: async (controls, _body, params) => worldsOf(controls).reset(nameOf(params)),
  },
  {
    route: ["POST", "/worlds/:name/snapshots"],
    operationId: "takeSnapshot",
    summary: "Keeps the data of a world, to restore it later.",
    request: snapshotRequest,
    response: { status: 201, schema: worldSummary },
    handle: async (controls, body: SnapshotRequest, params) =>
      worldsOf(controls).snapshot(nameOf(params), body),
  },
  {
    route: ["DELETE", "/worlds/:name/snapshots/:snapshot"],
    operationId: "deleteSnapshot",
    summary: "Deletes a snapshot of a world.",
    response: { status: 200, schema: worldSummary },
    handle: async (controls, _body, { snapshot = "", ...params }) =>
      worldsOf(controls).deleteSnapshot(nameOf(params), snapshot),
  },
  {
    route: ["POST", "/worlds/:name/restore"],
    operationId: "restoreWorld",
    summary: "Gives a world the data of a snapshot, and its time. TPPs that are newer stay.",
    request: restoreRequest,
    response: { status: 200, schema: shownWorld },
    handle: async (controls, body: RestoreRequest, params) =>
      worldsOf(controls).restore(nameOf(params), body),
  },
  {
    route: ["POST", "/worlds/:name/fork"],
    operationId: "forkWorld",
    summary: "Opens a copy of a world, or of a snapshot, with the same TPPs and keys.",
    request: forkRequest,
    response: { status: 201, schema: shownWorld },
    handle: async (controls, body: ForkRequest, params) =>
      worldsOf(controls).fork(nameOf(params), body),
  },
];
