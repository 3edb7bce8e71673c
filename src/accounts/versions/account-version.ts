import type { TSchema } from "typebox";
import type { AccountApiId, AccountView } from "#src/accounts/resource.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";

/** A version of account information: the bodies of its consents, and how it shows resources. */
export type AccountVersion = {
  id: AccountApiId;
  api: ApiVersion;
  consent: { request: TSchema; response: TSchema };
  /** A view for each resource that the version has. */
  views: readonly AccountView[];
};
