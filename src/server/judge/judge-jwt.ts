import { decodeProtectedHeader } from "jose";
import type { DryRun, DryRunResult } from "#src/auth/provider/dry-run.ts";
import { consentMember } from "#src/auth/provider/intent.ts";
import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { type CompactJws, isSignedBy, readJws } from "#src/registration/claims.ts";
import {
  type RegistrationRequest,
  registrationStepNames,
  type Verdict,
} from "#src/registration/verify-registration.ts";
import { explained, explainedReason } from "#src/request-log/explain/explain-request.ts";
import type { ExplainedFault } from "#src/request-log/explain/explanation.ts";
import type { JudgedCheck, JudgedText } from "#src/request-log/explain/judged-text.ts";
import type { KeyRing } from "#src/signing/key-ring.ts";

/** The bank's own checks of JWTs. */
export type JwtSources = {
  dryRun: DryRun;
  lint(request: RegistrationRequest): Promise<Verdict>;
  lintStatement(text: string): Promise<Verdict>;
  keyRing: Pick<KeyRing, "published">;
  issuer: string;
  /** The machine's time, in seconds. */
  now(): number;
};

type Outcome = { checks: readonly JudgedCheck[]; faults: readonly ExplainedFault[] };
type Claims = Record<string, unknown>;
type Jwt = { text: string; header: Claims; claims: Claims };

const backchannelTitle = "a request object without a browser (CIBA)";

/** The members that only a request without a browser has. */
const backchannelMembers: readonly string[] = [
  consentMember,
  "login_hint_token",
  "binding_message",
  "requested_expiry",
  "client_notification_token",
];

/** The kinds of JWT that a TPP sends or gets, the first that fits decides. */
const kinds: readonly {
  title: string;
  fits(jwt: Jwt, sources: JwtSources): boolean;
  judge(jwt: Jwt, sources: JwtSources): Promise<Outcome>;
}[] = [
  {
    title: "a DPoP proof",
    fits: ({ header }) => header.typ === "dpop+jwt",
    judge: async () => refusedAs("binding", "dpopNotOffered", dpop),
  },
  {
    title: "a registration request",
    fits: ({ claims }) => claims.software_statement !== undefined,
    judge: async (jwt, { lint }) =>
      linted(jwt, await lint({ text: jwt.text, subject: null, clientId: null })),
  },
  {
    title: "a software statement",
    fits: ({ claims }) => claims.software_client_name !== undefined || claims.org_id !== undefined,
    judge: async (jwt, { lintStatement }) => linted(jwt, await lintStatement(jwt.text), true),
  },
  {
    title: "a security event token of this bank",
    fits: ({ claims }) => claims.events !== undefined,
    judge: async (jwt, sources) => fromBank(jwt, sources, ["iss", "iat", "jti", "aud"]),
  },
  {
    title: "an id_token of this bank",
    fits: ({ claims }, { issuer }) => claims.iss === issuer && claims.sub !== undefined,
    judge: async (jwt, sources) => fromBank(jwt, sources, ["iss", "sub", "aud", "exp", "iat"]),
  },
  {
    title: "a signed authorization response (JARM) of this bank",
    fits: ({ claims }, { issuer }) => claims.iss === issuer,
    judge: async (jwt, sources) => fromBank(jwt, sources, ["iss", "aud", "exp"]),
  },
  {
    title: backchannelTitle,
    fits: ({ claims }) =>
      claims.response_type === undefined &&
      claims.redirect_uri === undefined &&
      backchannelMembers.some((name) => claims[name] !== undefined),
    judge: judgeBackchannel,
  },
  {
    title: "a request object",
    fits: ({ claims }) =>
      ["response_type", "redirect_uri", "scope", "claims"].some(
        (name) => claims[name] !== undefined,
      ),
    judge: async (jwt, { dryRun }) => ranDry(jwt, await dryRun.requestObject(jwt.text)),
  },
  {
    title: "a client assertion",
    fits: () => true,
    judge: async (jwt, { dryRun }) => ranDry(jwt, await dryRun.clientAssertion(jwt.text)),
  },
];

/** What a request without a browser needs of the bank besides the request object itself. */
const newRequest: JudgedCheck = {
  name: "new request",
  result: "not judged",
  detail:
    "Whether the jti is new, the identifier was used, a request for this consent goes on, and the " +
    "customer can be asked now: send the request and explain its answer.",
};

async function judgeBackchannel(jwt: Jwt, { dryRun }: JwtSources): Promise<Outcome> {
  if (!dryRun.backchannelRequest) return refusedAs("endpoint", "grantUnknown", notOffered);
  const { checks, faults } = ranDry(jwt, await dryRun.backchannelRequest(jwt.text));
  return { checks: [...checks, newRequest], faults };
}

const notOffered =
  "The bank does not offer requests without a browser (BACKCHANNEL_AUTHENTICATION): send the " +
  "customer to the authorization endpoint.";

const dpop =
  "The bank does not offer DPoP: it binds tokens to the client certificate. Leave the header " +
  "DPoP out, and call over mutual TLS.";

/**
 * Judges a JWT in compact form: which kind it is, and every check of that kind. `isBackchannel` is
 * set for the request object of a request to the endpoint without a browser.
 */
export async function judgeJwt(
  text: string,
  sources: JwtSources,
  isBackchannel = false,
): Promise<JudgedText> {
  const jwt = read(text);
  const kind =
    jwt &&
    kinds.find(({ title, fits }) =>
      isBackchannel ? title === backchannelTitle : fits(jwt, sources),
    );
  if (!jwt || !kind) {
    const message = readJws(text, "JWT");
    const detail = typeof message === "string" ? message : "The JWT cannot be read.";
    return judged("a JWT that cannot be read", refusedAs("form", "jwtMalformed", detail), []);
  }
  return judged(kind.title, await kind.judge(jwt, sources), [
    { name: "header", value: JSON.stringify(jwt.header) },
    ...Object.entries(jwt.claims).map(([name, value]) => ({ name, value: claimText(name, value) })),
  ]);
}

function read(text: string): Jwt | null {
  const claims = unverifiedClaims(text);
  if (claims === null) return null;
  try {
    return { text, header: { ...decodeProtectedHeader(text) }, claims };
  } catch {
    return null;
  }
}

const longestValue = 500;
const times: ReadonlySet<string> = new Set(["exp", "iat", "nbf", "auth_time", "toe"]);

/** A claim's value; a time also as a date. */
function claimText(name: string, value: unknown): string {
  const text = textOf(value).slice(0, longestValue);
  if (!times.has(name) || typeof value !== "number" || Math.abs(value) > 8.64e12) return text;
  return `${text} (${new Date(value * 1000).toISOString()})`;
}

const judged = (title: string, outcome: Outcome, facts: JudgedText["facts"]): JudgedText => ({
  subject: "jwt",
  id: "",
  summary: `This is ${title}. ${
    outcome.faults.length === 0 ? "It passes every check." : "The bank would refuse it."
  }`,
  checks: outcome.checks,
  faults: outcome.faults,
  signature: null,
  facts,
  next: nextOf(outcome.faults),
});

function nextOf([fault]: Outcome["faults"]): string {
  if (!fault) return "Nothing is wrong with this JWT.";
  return fault.next ?? "Correct what the refused check names, and sign the JWT again.";
}

/** Finds a value in the header or the claims of a JWT. */
const finderIn =
  ({ header, claims }: Pick<Jwt, "header" | "claims">) =>
  (where: string): string | null => {
    const value = header[where] ?? claims[where];
    return value === undefined ? null : textOf(value).slice(0, longestValue);
  };

function ranDry(jwt: Jwt, { checks, fault }: DryRunResult): Outcome {
  return {
    checks: checks.map(({ name, result }) => {
      return { name, result, detail: result === "refused" ? (fault?.message ?? null) : null };
    }),
    faults: fault ? [explainedReason(fault.code, fault.message, finderIn(jwt))] : [],
  };
}

function refusedAs(name: string, code: string, message: string): Outcome {
  return {
    checks: [{ name, result: "refused", detail: message }],
    faults: [explained(code, { message, where: null, found: null })],
  };
}

const ofRequests = "It needs the registration request: judge this as well.";

/**
 * The outcome of the checks of a registration, which go on after a fault. A statement alone is
 * judged only by its own checks.
 */
function linted(jwt: Jwt, { faults, steps }: Verdict, isAlone = false): Outcome {
  const checks = registrationStepNames.map((name): JudgedCheck => {
    if (isAlone && !/^statement/.test(name)) {
      return { name, result: "not judged", detail: ofRequests };
    }
    const step = steps.find((one) => one.name === name);
    const [fault] = step?.faults ?? [];
    if (fault) return { name, result: "refused", detail: fault.description };
    return { name, result: step ? "passed" : "not reached", detail: null };
  });
  return {
    checks,
    faults: faults.map(({ rule, description }) =>
      explainedReason(rule, description, finderIn(jwt)),
    ),
  };
}

/** The checks that a TPP makes of a JWT from the bank. */
function fromBank({ text, header, claims }: Jwt, sources: JwtSources, needed: string[]): Outcome {
  const { keyRing, issuer, now } = sources;
  const keys = keyRing.published();
  const key = keys.find(({ kid }) => kid === header.kid);
  const jws: CompactJws = { text, header, claims };
  const missing = needed.filter((name) => claims[name] === undefined);
  const kids = keys.map(({ kid }) => kid).join(", ");
  const { exp } = claims;
  const rows: [name: string, code: string, isGood: boolean, message: string][] = [
    [
      "algorithm",
      "jwtAlgorithm",
      header.alg === "PS256",
      `alg is ${textOf(header.alg)}; the bank signs with PS256.`,
    ],
    [
      "key",
      "jwtKey",
      key !== undefined,
      `kid is ${textOf(header.kid)}; the keys of /jwks are ${kids}.`,
    ],
    [
      "signature",
      "jwtSignature",
      key !== undefined && isSignedBy(jws, key.publicKey, "PS256"),
      "The signature does not verify with the bank's key of this kid.",
    ],
    ["claims", "jwtIncomplete", missing.length === 0, `It lacks ${missing.join(", ")}.`],
    [
      "issuer",
      "jwtIssuer",
      claims.iss === issuer,
      `iss is ${textOf(claims.iss)}; it is ${issuer}.`,
    ],
    [
      "expiry",
      "jwtExpired",
      typeof exp !== "number" || exp > now(),
      `exp is ${claimText("exp", exp)}, which has passed.`,
    ],
  ];
  const at = rows.findIndex(([, , isGood]) => !isGood);
  const refused = at < 0 ? undefined : rows[at];
  return {
    checks: rows.map(([name, , isGood, message], index) => {
      if (at >= 0 && index > at) return { name, result: "not reached", detail: null };
      return { name, result: isGood ? "passed" : "refused", detail: isGood ? null : message };
    }),
    faults: refused
      ? [explained(refused[1], { message: refused[3], where: null, found: null })]
      : [],
  };
}
