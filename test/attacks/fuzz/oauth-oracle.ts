import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { Oracle } from "./oracle.ts";
import type { Hit } from "./shot.ts";

const formEndpoints = /^\/(token(\/revocation|\/introspection)?|request)$/;

/**
 * Makes the check of responses of the authorization server: errors have the form that OAuth gives
 * them, and a TPP of FAPI 2.0 gets an authorization response only in the form of its profile.
 */
export function createOAuthOracle(issuer: string, tpps: readonly TppCredentials[]): Oracle {
  return (shot, hit) => {
    const [pathname = ""] = shot.url.slice(new URL(shot.url).origin.length).split("?");
    const isForm = shot.method === "POST" && formEndpoints.test(pathname);
    return [...(isForm ? judgeError(hit) : []), ...judgeRedirect(issuer, tpps, hit)];
  };
}

/** Source: RFC 6749 section 5.2. */
function judgeError({ status, headers, raw }: Hit): string[] {
  if (status !== 400 && status !== 401) return [];
  if (raw.length === 0 && headers.connection === "close") return []; // not read as HTTP
  const { error, error_description: text = "" } = parse(raw.toString());
  if (typeof error !== "string" || !/^[a-z_]+$/.test(error)) return ["an error without its code"];
  const isPlain = typeof text === "string" && /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/.test(text);
  return isPlain ? [] : [`error_description is ${JSON.stringify(text)}`];
}

/**
 * Source: FAPI 2.0 Security Profile section 5.3.2.2, RFC 9207 section 2, JARM sections 2.1 and 2.3.
 */
function judgeRedirect(issuer: string, tpps: readonly TppCredentials[], hit: Hit): string[] {
  const tpp = receiverOf(tpps, hit);
  if (!tpp || tpp.profile === undefined || tpp.profile === "fapi1") return [];
  const target = new URL(hit.headers.location ?? "");
  if (target.hash !== "") return ["a response in the fragment"];
  const names = [...target.searchParams.keys()];
  const isSigned = tpp.profile === "fapi2-message-signing";
  if (isSigned && `${names}` !== "response") return [`a response with ${names}, which is unsigned`];
  const [, payload = ""] = target.searchParams.get("response")?.split(".") ?? [];
  const answer: Record<string, unknown> = isSigned
    ? parse(Buffer.from(payload, "base64url").toString())
    : Object.fromEntries(target.searchParams);
  const faults: string[] = [];
  if (answer.iss !== issuer) faults.push(`iss of a response is ${answer.iss}`);
  if (isSigned && answer.aud !== tpp.clientId) faults.push(`aud of a response is ${answer.aud}`);
  if ("code" in answer === "error" in answer) faults.push("a response without code or error");
  for (const name of ["id_token", "access_token"]) {
    if (name in answer) faults.push(`a response with ${name}`);
  }
  return faults;
}

/** The TPP to whose redirect URI the browser is sent, if it is one of these. */
export function receiverOf(tpps: readonly TppCredentials[], hit: Hit): TppCredentials | undefined {
  const { origin, pathname } = URL.parse(hit.headers.location ?? "") ?? {};
  return tpps.find(({ redirectUris }) => redirectUris.includes(`${origin}${pathname}`));
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
