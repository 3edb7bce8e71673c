import { instantText, type Jwt } from "./jwt-facts.ts";
import { type AuthorizationRefusal, because } from "./refused.ts";

const toleranceSeconds = 15;

/**
 * The cause of a refusal if a JWT says that it was issued in the future, as one does whose `iat` is
 * in milliseconds; null if not. The library checks `iat` only if there is no `exp`. Source: FAPI
 * 2.0 Security Profile section 5.3.2.1.
 */
export function issuedLater(
  jwt: "client assertion" | "Request Object",
  { iat }: Jwt["claims"],
  nowSeconds: number,
): { cause: AuthorizationRefusal } | null {
  if (iat === undefined) return null;
  if (Number.isFinite(iat) && Number(iat) <= nowSeconds + toleranceSeconds) return null;
  const facts = { jwt, iat: instantText(iat), now: instantText(nowSeconds) };
  return because("jwtIssuedLater", facts);
}
