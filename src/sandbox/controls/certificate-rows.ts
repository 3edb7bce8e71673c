import Type, { type Static } from "typebox";
import { knownTpp } from "#src/sandbox/test-tpp/tpp-shapes.ts";
import type { ControlRow } from "./control-row.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const revocation = Type.Object(
  { use: Type.Union([Type.Literal("transport"), Type.Literal("signing")]) },
  { additionalProperties: false },
);

/** The operation that revokes a certificate of a TPP. */
export const certificateRows: readonly ControlRow[] = [
  {
    method: "POST",
    path: "/tpps/:clientId/revocations",
    operationId: "revokeCertificate",
    summary:
      "Revokes a TPP's newest certificate, and returns the TPP with another one for the same key. " +
      "Within seconds, the bank refuses the revoked certificate.",
    request: revocation,
    response: { status: 200, schema: knownTpp },
    async handle(controls, { use }: Static<typeof revocation>, { clientId = "" }) {
      const isId = /^[\w-]{1,64}$/.test(clientId);
      const kept = use === "transport" ? "client" : "signing";
      const tpp = isId ? await controls.revokeCertificate(clientId, kept) : null;
      if (!tpp) throw new SandboxRefusal(404, "There is no TPP with that client id.");
      return tpp;
    },
  },
];
