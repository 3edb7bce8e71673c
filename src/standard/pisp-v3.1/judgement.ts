import Type from "typebox";
import { judgement } from "#src/standard/shared/judgement.ts";
import { oneOf } from "#src/standard/shared/schema.ts";
import { countryCode } from "#src/standard/shared/v4/parties.ts";
import { fileTypes } from "./initiations.ts";

/** Checks requests against the published schemas, except for these members. */
export const judgedBy = judgement([
  {
    at: "Data.Initiation.FileType",
    schema: oneOf(fileTypes),
    strictness: "stricter",
    reason: "F-040: the files of other versions have members that this one could not show",
  },
  {
    at: "Data.Initiation.NumberOfTransactions",
    schema: Type.String({ pattern: "^[0-9]{1,15}$" }),
    strictness: "stricter",
    reason: "P-193: the published pattern is not anchored",
  },
  {
    at: "Initiation.DestinationCountryCode",
    schema: countryCode,
    strictness: "stricter",
    reason: "the published pattern is not anchored",
  },
]);
