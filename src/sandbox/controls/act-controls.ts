import Type from "typebox";
import { type ActRow, actPath, actRows } from "./act-rows.ts";
import { payeeWarning } from "./approval-shapes.ts";
import type { ControlRow } from "./control-row.ts";

const actResult = Type.Object(
  {
    id: Type.String(),
    status: Type.String({
      description: "Of the object, afterwards, in the words of its API version if that has one.",
    }),
    warning: Type.Optional(payeeWarning),
  },
  { title: "ActResult" },
);
/** The operation of an act. */
function controlOf(row: ActRow): ControlRow {
  const { operationId, summary, request, run } = row;
  return {
    route: ["POST", actPath(row)],
    operationId,
    summary,
    request,
    response: { status: 200, schema: actResult },
    async handle({ acts }, body, params) {
      const [id = ""] = Object.values(params);
      const done = await run(acts, id, body);
      return { id, ...(typeof done === "string" ? { status: done } : done) };
    },
  };
}

/** The operations that do the acts. */
export const actControlRows: readonly ControlRow[] = actRows.map(controlOf);
