import Type from "typebox";
import { misbehaviours } from "#src/sandbox/robust/misbehaviours.ts";
import { type RobustReport, showMisbehaviour } from "#src/sandbox/robust/report.ts";
import { knownId } from "./common-shapes.ts";
import type { ControlRow } from "./control-row.ts";
import {
  misbehaviourShape,
  type RobustRequest,
  robustReport,
  runRequest,
} from "./robust-shapes.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const path = "/tpps/:clientId/misbehaviours";

/** The operations on what the sandbox plays to find out whether a client is robust. */
export const robustRows: readonly ControlRow[] = [
  {
    route: ["GET", "/misbehaviours"],
    operationId: "listMisbehaviours",
    summary: "Lists what can be played on a client: the ways in which real banks break clients.",
    response: {
      status: 200,
      schema: Type.Object({
        misbehaviours: Type.Array(Type.Object(misbehaviourShape, { title: "Misbehaviour" })),
      }),
    },
    handle: async () => ({ misbehaviours: misbehaviours.map(showMisbehaviour) }),
  },
  {
    route: ["POST", path],
    operationId: "playMisbehaviours",
    summary:
      "Begins to play misbehaviours on a TPP: all in a new run, or the named ones, which are " +
      "added to the open run.",
    request: runRequest,
    response: { status: 201, schema: robustReport },
    handle: ({ robust }, body: RobustRequest, { clientId = "" }) =>
      robust.open(knownId(clientId), body),
  },
  {
    route: ["GET", path],
    operationId: "reportRobustness",
    summary: "Reports what was played on a TPP, and how it coped.",
    response: { status: 200, schema: robustReport },
    handle: async ({ robust }, _body, { clientId = "" }) =>
      found(await robust.report(knownId(clientId))),
  },
  {
    route: ["DELETE", path],
    operationId: "endMisbehaviours",
    summary: "Ends the run of a TPP, and returns its report.",
    response: { status: 200, schema: robustReport },
    handle: async ({ robust }, _body, { clientId = "" }) =>
      found(await robust.end(knownId(clientId))),
  },
];

function found(one: RobustReport | null): RobustReport {
  if (one) return one;
  throw new SandboxRefusal(404, "Nothing has been played on this TPP since the bank began.");
}
