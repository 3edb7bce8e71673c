import type { TSchema } from "typebox";
import type { FaultCode, FaultStatus, StatedFault, StatusOf } from "./faults.ts";

/** The versions of APIs whose bodies can be read; those that are served each have a document. */
export type ApiVersionId =
  | "pisp-v3.1"
  | "pisp-v4.0"
  | "aisp-v3.1"
  | "aisp-v4.0"
  | "cbpii-v3.1"
  | "cbpii-v4.0"
  | "events-v3.1"
  | "events-v4.0";

/** The path at which a version is served. Those of events have no name of their own. */
export function basePathOf(id: ApiVersionId): string {
  const [name, version] = id.split("-");
  return `/api/open-banking/${version}${name === "events" ? "" : `/${name}`}`;
}

/** The OAuth scopes of the standard. */
export const scopes = ["accounts", "payments", "fundsconfirmations"] as const;

/** An OAuth scope of the standard. */
export type Scope = (typeof scopes)[number];

/** Whether a text is a scope. */
export const isScope = (text: string | undefined): text is Scope =>
  scopes.some((scope) => scope === text);

/**
 * The checks of a request, each with the steps that must come before it. A step that does not
 * concern an operation is left out, such as `idempotency-key` where none is wanted. `body` receives
 * the body, verifies its signature if the operation is signed, and parses it.
 */
export type RequestSteps = {
  "interaction-id": never;
  token: never;
  grant: "token";
  scope: "token";
  "consent-version": "token";
  "rate-limit": "token";
  accept: never;
  "content-type": never;
  "auth-date": never;
  "idempotency-key": never;
  body: "token" | "grant" | "scope" | "content-type";
};

/** A check of a request, by name. */
export type StepName = keyof RequestSteps;

declare const isInOrder: unique symbol;

/** Steps in an order in which each comes after those that it needs; made by `inOrder`. */
type OrderedSteps = readonly StepName[] & { readonly [isInOrder]: true };

/** The names if each step comes after those that it needs; if not, what is missing. */
type Ordered<Names, Before extends StepName = never> = Names extends readonly [
  infer Name extends StepName,
  ...infer Rest,
]
  ? [RequestSteps[Name]] extends [Before]
    ? readonly [Name, ...Ordered<Rest, Before | Name>]
    : readonly [{ before: Name; missing: Exclude<RequestSteps[Name], Before> }]
  : readonly [];

/**
 * The order of a version's steps. An order without the token and its checks does not compile, nor
 * one in which a step comes before another that it needs.
 */
export const inOrder = <const Names extends readonly StepName[]>(
  names: Names & Ordered<Names> & ("token" | "grant" | "scope" extends Names[number] ? unknown : 0),
): OrderedSteps => names as readonly StepName[] as OrderedSteps;

/** The form of a header, and the advice to a caller who sends it in another form. */
export type HeaderForm = { pattern: RegExp; advice: string };

/** How a version's request headers are checked. */
export type HeaderRules = {
  /** Which values of x-fapi-interaction-id are echoed. Source: P-013, A-004. */
  interactionId: HeaderForm;
  /** Source: P-014, A-010. */
  authDate: HeaderForm;
  /** If a key is used with another body, the error links to `guide`. Source: P-042…P-045. */
  idempotencyKey: HeaderForm & { guide: string };
};

/** A fault in a version's words: its published code at each status, its long name, its meaning. */
export type ErrorRow<Status extends FaultStatus = FaultStatus> = {
  codes: Readonly<Record<Status, string>>;
  name: string;
  text: string;
};

/** How a version reports each fault. */
export type ErrorTable = { readonly [Code in FaultCode]: ErrorRow<StatusOf<Code>> };

/** A refusal as data. */
export type RefusalFacts = { status: number; faults: readonly StatedFault[] };

/** How a version renders refusals. */
export type ErrorRules = {
  table: ErrorTable;
  /** Statuses whose refusals have a body if there is a fault to explain. Source: PC-16, A-030. */
  withBody: ReadonlySet<number>;
  /** The same as the published OpenAPI file declares it. */
  declaredWithBody: ReadonlySet<number>;
  /** Schema of the error body. */
  schema: TSchema;
  /** The error body; `interactionId` may serve as its Id. */
  render(refusal: RefusalFacts, interactionId: string): object;
};

/**
 * Status of a consent: the v4 words for every API. `AWUP` is for files only. Deletion is not a
 * status: a deleted consent no longer exists for its TPP.
 */
export type ConsentStatus = "AWUP" | "AWAU" | "AUTH" | "RJCT" | "COND" | "CANC" | "EXPD";

/**
 * The statuses of an active consent: its customer has authorised it and its tokens are valid. The
 * tokens of a used consent can still read its order.
 */
export const activeStatuses: readonly string[] = ["AUTH", "COND"] satisfies ConsentStatus[];

/**
 * Why a consent or an order has its status. Some reasons have no code. If a member of the TPP's
 * request is the cause, `path` is its place in that request.
 */
export type ShownReason = { code?: string; text: string; path?: string };

/** How a version shows consents, and which it serves. */
export type ConsentRules = {
  /** The version's word for each status. Source: E-005, E-010, E-012, A-104, A-108. */
  words: Readonly<Record<ConsentStatus, string>>;
  /**
   * Renders one reason of a consent's status as an item of `StatusReason`; null if consents of the
   * version have no such member. Source: E-015, E-016.
   */
  renderReason: ((reason: ShownReason) => object) | null;
  /**
   * The versions whose consents can be read, deleted and used on this one. A consent of another
   * version is unknown to it (400), and its token is refused (403). Of payments, a kind's format
   * says which of these it serves. Source: E-005…E-009, P-028.
   */
  serves: ReadonlySet<ApiVersionId>;
};

/** Returns the name of a version in paths and events, such as `v4.0` for the release 4.0.1. */
export const versionName = ({ release }: Pick<ApiVersion, "release">): string =>
  `v${release.split(".", 2).join(".")}`;

/** Returns a number by which versions and releases are compared. The patch is ignored. */
export function versionNumber(release: string): number {
  const [major = 0, minor = 0] = release.split(".").map(Number);
  return major * 1000 + minor;
}

/** One published version of one API. Everything in which versions differ is a member of it. */
export type ApiVersion = {
  id: ApiVersionId;
  title: string;
  /** `4.0.1`: the release whose shapes are served; the version of the OpenAPI document. */
  release: string;
  /** `/api/open-banking/v4.0/pisp`, without the base URL. */
  basePath: string;
  /** The scopes of which a token needs one. */
  scopes: readonly [Scope, ...Scope[]];
  /** The rate limit that the API's versions share, by name. */
  rateLimitGroup: string;
  /** The checks of a request in the order in which the standard wants them. */
  steps: OrderedSteps;
  headers: HeaderRules;
  errors: ErrorRules;
  /** The status that refuses a token of the other grant. Source: P-006…P-009, A-045…A-047. */
  wrongGrant: 401 | 403;
  consents: ConsentRules;
  /** Statuses of refusals that the standard declares for an operation. */
  declaredStatuses(operation: { operationId: string; method: string }): readonly number[];
};
