import type { PermissionRule } from "#src/accounts/resource.ts";
import { ApiError, type Fault, forbidden } from "#src/http/api-error.ts";

/** A 403 that names each permission that the consent lacks. Source: A-120, D-12. */
export function permissionMissing(rule: PermissionRule, permissions: readonly string[]): ApiError {
  const missing = rule.filter((anyOf) => !anyOf.some((code) => permissions.includes(code)));
  return new ApiError(
    403,
    missing.map(
      (anyOf): Fault<403> => ({
        code: "PermissionMissing",
        path: "Data.Permissions",
        message:
          `The consent lacks ${anyOf.join(" or ")}. ` +
          "Ask the customer for a consent that has this permission.",
      }),
    ),
  );
}

/**
 * A 403 that does not reveal whether the account is another customer's or closed. Source: A-122.
 */
export const accountNotAccessible = (): ApiError =>
  forbidden(
    "AccountNotAccessible",
    "AccountId",
    "This consent does not give access to the account. GET /accounts lists the accounts that " +
      "the consent covers.",
  );
