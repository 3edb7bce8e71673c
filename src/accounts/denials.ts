import { ApiError, forbidden } from "#src/http/api-error.ts";
import type { PermissionRule } from "./resource.ts";

/** Codes of our own namespace (`GB.Aldgate.`), for refusals that v3.1 has no code for. */
export const denialCodes = {
  permissionMissing: "PermissionMissing",
  accountNotAccessible: "AccountNotAccessible",
} as const;

/** 403 that names each permission which the consent lacks. Source: A-120, D-12. */
export function permissionMissing(rule: PermissionRule, permissions: readonly string[]): ApiError {
  const missing = rule.filter((anyOf) => !anyOf.some((code) => permissions.includes(code)));
  return new ApiError(
    403,
    missing.map((anyOf) => ({
      code: denialCodes.permissionMissing,
      path: "Data.Permissions",
      message:
        `The consent lacks ${anyOf.join(" or ")}. ` +
        "Ask the customer for a consent that has this permission.",
    })),
  );
}

/** 403 that does not say whether the account is another customer's or closed. Source: A-122. */
export const accountNotAccessible = (): ApiError =>
  forbidden(
    denialCodes.accountNotAccessible,
    "AccountId",
    "This consent does not give access to the account. GET /accounts lists those that it covers.",
  );
