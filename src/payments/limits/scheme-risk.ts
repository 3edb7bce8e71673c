import type { Check, RequestFault } from "#src/payments/request/checks.ts";
import { isOfScheme } from "#src/standard/shared/vrp-types.ts";

/**
 * CV-58: a consent of the commercial scheme has a payment context and an account type that the
 * scheme allows, if it has them at all. The scheme may change its lists, so they are settings.
 */
export const checkSchemeRisk: Check = ({ request: { limits }, config }) => {
  const type = limits?.uses.type?.find(isOfScheme);
  if (limits === null || type === undefined) return [];
  const { context, accountType } = limits.risk;
  const rows = [
    ["limits.risk.context", "payment context", context, config.VRP_SCHEME_CONTEXTS],
    ["limits.risk.accountType", "account type", accountType, config.VRP_SCHEME_ACCOUNT_TYPES],
  ] as const;
  return rows.flatMap(([member, word, value, setting]): RequestFault[] => {
    const allowed = setting.split(",").map((one) => one.trim());
    if (value === null || allowed.includes("any") || allowed.includes(value)) return [];
    const message = `${type} does not allow the ${word} ${value}. Send ${oneOf.format(allowed)}.`;
    return [{ code: "U002", member, message }];
  });
};

const oneOf = new Intl.ListFormat("en-GB", { type: "disjunction" });
