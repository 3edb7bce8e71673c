import type { TSchema } from "typebox";
import type { Operation } from "#src/http/operation.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";

/** A version of confirmation of funds, and what differs in its bodies. */
export type FundsVersion = {
  api: ApiVersion;
  consent: { request: TSchema; response: TSchema };
  /** The names of the members of a debtor account. */
  accountMembers: readonly string[];
  /** Whether requests are signed. Source: C-017, C-018. */
  signed: Operation["signed"];
};
