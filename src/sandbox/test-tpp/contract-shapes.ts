import Type from "typebox";
import { vrpPurposes } from "#src/clients/vrp-contracts.ts";
import { commercialVrpTypes } from "#src/standard/shared/vrp-types.ts";

const closed = { additionalProperties: false };
/** A date: `2027-03-31`. */
export const date = (description: string) => Type.String({ format: "date", description });
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));

/** The terms of a contract for variable recurring payments. */
export const contractTerms = {
  types: Type.Array(oneOf(commercialVrpTypes), { minItems: 1 }),
  purpose: oneOf(vrpPurposes),
  from: Type.Optional(date("The first day for new consents. The default is today.")),
  until: Type.Optional(
    Type.Union([
      date("The last day for new consents. By default, there is no last day."),
      Type.Null(),
    ]),
  ),
  payeePerPayment: Type.Optional(
    Type.Boolean({
      description:
        "If true, consents may omit the payee, and each payment must then name its payee.",
    }),
  ),
  tppAuthenticates: Type.Optional(
    Type.Boolean({ description: "Whether the TPP may authenticate customers (UK.OBIE.SCA)." }),
  ),
  maximumMinor: Type.Optional(
    Type.Union([
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "The largest MaximumIndividualAmount, in pence.",
      }),
      Type.Null(),
    ]),
  ),
};
/** A contract in the request that creates a TPP. */
export const newContract = Type.Object(
  { contractId: Type.String({ pattern: "^[\\w-]{1,40}$" }), ...contractTerms },
  { ...closed, title: "NewVrpContract" },
);
