import { fault, type RegistrationFault, shown } from "./fault.ts";
import type { RequestContext } from "./request-context.ts";

const roleOfScope: Readonly<Record<string, string>> = {
  accounts: "AISP",
  payments: "PISP",
  fundsconfirmations: "CBPII",
};
const known = ["openid", ...Object.keys(roleOfScope)];
const longest = 256;

/** Every scope that needs a role. */
export const scopesWithRole: readonly string[] = Object.keys(roleOfScope);

/** The scopes that belong to roles. */
export const scopesOfRoles = (roles: readonly string[]): string[] =>
  Object.keys(roleOfScope).filter((scope) => roles.includes(roleOfScope[scope] ?? ""));

/** The scope to register, or the reason why none can be. */
type ScopeDecision = { scope: string; fault: null } | { scope: null; fault: RegistrationFault };

/**
 * Decides the scope of a client: what it asks for, as far as the statement's roles and the
 * competent authority allow it. Source.
 */
export function decideScope({ claims, statement }: RequestContext): ScopeDecision {
  const { scope } = claims;
  const words = typeof scope === "string" && scope.length <= longest ? scope.split(" ") : [];
  const isKnown = words.length > 0 && words.every((word) => known.includes(word));
  if (!isKnown || new Set(words).size < words.length) {
    const must = `contain only ${known.join(", ")}, each at most once, separated by spaces`;
    return refuse("R-058", `scope is ${shown(scope)}; it must ${must}.`);
  }
  const word = words.find((one) => one !== "openid" && !isAllowed(one));
  if (word !== undefined) {
    const role = roleOfScope[word] ?? "";
    return statement.roles.includes(role)
      ? refuse(
          "R-106",
          `scope is ${shown(scope)}. Remove ${word}: the software statement has no active GB ` +
            `authorisation for the role ${role} (organisation_competent_authority_claims).`,
        )
      : refuse(
          "R-059",
          `scope is ${shown(scope)}. Remove ${word}: software_roles in the software statement does ` +
            `not contain ${role}.`,
        );
  }
  if (words.every((one) => one === "openid")) {
    const roles = Object.entries(roleOfScope).map(([name, role]) => `${name} (${role})`);
    const must = `contain at least one of ${roles.join(", ")}; the TPP must have the role in brackets`;
    return refuse("R-059", `scope is ${shown(scope)}; it must ${must}.`);
  }
  return { scope: words.join(" "), fault: null };

  function isAllowed(word: string): boolean {
    const role = roleOfScope[word] ?? "";
    return statement.roles.includes(role) && statement.authority.roles.includes(role);
  }
}

const refuse = (rule: string, description: string): ScopeDecision => ({
  scope: null,
  fault: fault(rule, "invalid_client_metadata", description),
});
