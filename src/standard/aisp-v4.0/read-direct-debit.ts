import Type, { type Static } from "typebox";
import { readDirectDebitOf } from "#src/standard/shared/accounts/direct-debit.ts";
import { mandateRelatedInformation } from "#src/standard/shared/v4/mandate-related-information.ts";
import { mandateStatuses } from "./mandate-statuses.ts";

/** Body of `GET /accounts/{AccountId}/direct-debits`. Source: OBReadDirectDebit2, E-044. */
export const readDirectDebit = readDirectDebitOf(mandateStatuses, {
  MandateRelatedInformation: Type.Optional(mandateRelatedInformation),
});

/** One direct debit of it. */
export type DirectDebitItem = NonNullable<
  Static<typeof readDirectDebit>["Data"]["DirectDebit"]
>[number];
