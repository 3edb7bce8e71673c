import Type from "typebox";
import type { Pasted } from "#src/request-log/explain/judged-text.ts";
import { orNull } from "./common-shapes.ts";
import type { ControlRow } from "./control-row.ts";
import { examinedSignature, explainedFact, explainedFault } from "./request-rows.ts";

const text = Type.String();
const closed = { additionalProperties: false };

/** The most characters of something that is judged. */
export const mostPasted = 65_536;

const pasted = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: mostPasted,
      description:
        "A request (method and path, headers, an empty line, the body), a body, a JWT, or " +
        "certificates in PEM or base64. Never a private key or a token.",
    }),
    signature: Type.Optional(
      Type.String({ maxLength: 16_384, description: "The x-jws-signature, if `text` is a body." }),
    ),
    clientId: Type.Optional(
      Type.String({ maxLength: 64, description: "The client, if `text` does not name it." }),
    ),
  },
  closed,
);

const judgement = Type.Object({
  subject: Type.Union(
    ["message", "jwt", "certificate", "unknown"].map((word) => Type.Literal(word)),
  ),
  id: text,
  summary: text,
  checks: Type.Array(
    Type.Object(
      {
        name: text,
        result: Type.Union(
          ["passed", "refused", "not reached", "not judged"].map((word) => Type.Literal(word)),
        ),
        detail: orNull(text),
      },
      { title: "JudgedCheck" },
    ),
  ),
  faults: Type.Array(explainedFault),
  signature: orNull(examinedSignature),
  facts: Type.Array(explainedFact),
  next: text,
});

/** The operation on what nobody has sent. */
export const judgementRows: readonly ControlRow[] = [
  {
    route: ["POST", "/judgements"],
    operationId: "judge",
    summary:
      "Judges a message, a JWT or a certificate by the bank's own checks. Nothing of it is kept.",
    request: pasted,
    response: { status: 200, schema: judgement },
    handle: ({ judge }, body: Pasted) => judge(body),
  },
];
