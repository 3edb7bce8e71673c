import Type from "typebox";
import type { ControlRow } from "./control-row.ts";

const text = Type.String();
const refusedFacts = Type.Object({
  facts: Type.Array(
    Type.Object({
      source: text,
      kind: text,
      key: text,
      path: text,
      rule: text,
      refusedAt: text,
    }),
  ),
});

/** The operations on the facts that a core has sent. */
export const factRows: readonly ControlRow[] = [
  {
    route: ["GET", "/facts/refused"],
    operationId: "listRefusedFacts",
    summary: "Lists the facts of the bank's core that break a rule, newest first.",
    response: { status: 200, schema: refusedFacts },
    handle: async (controls) => ({ facts: await controls.listRefusedFacts() }),
  },
];
