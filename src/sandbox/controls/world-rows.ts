import Type from "typebox";
import type { ControlRow } from "./control-row.ts";
import type { SandboxControls } from "./controls.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";
import {
  shownWorld,
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
  throw new SandboxRefusal(404, "There is no world with that name.");
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
    summary: "Deletes a world with its data and keys.",
    response: { status: 200, schema: Type.Object({ name: Type.String() }) },
    async handle(controls, _body, params) {
      const name = nameOf(params);
      await worldsOf(controls).delete(name);
      return { name };
    },
  },
];
