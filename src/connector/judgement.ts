import Type from "typebox";
import type { ProvedBy } from "#src/bank/challenge.ts";
import { usedMethods } from "#src/bank/port-answers.ts";

type Body = { isRight: boolean; amr?: string[] };

/** The body that says whether an answer is right, and how it was proved if the core knows. */
export const judgement = {
  schema: Type.Object({ isRight: Type.Boolean(), amr: Type.Optional(usedMethods) }),
  read: ({ isRight, amr }: Body): boolean | ProvedBy => (isRight && amr ? { amr } : isRight),
  write: (result: boolean | ProvedBy): Body =>
    typeof result === "boolean" ? { isRight: result } : { isRight: true, amr: [...result.amr] },
};
