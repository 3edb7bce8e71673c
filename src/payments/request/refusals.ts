import type { Consent } from "#src/consents/consent.ts";
import {
  ApiError,
  type CodeFor,
  forbidden,
  type ListedRefusals,
  refusal,
} from "#src/http/api-error.ts";
import { idempotencyHeader } from "#src/http/headers/request-headers.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { returnedBy } from "#src/http/refusal/id-words.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { ApiVersion, ConsentRules, ConsentStatus } from "#src/standard/api-version.ts";
import type { BoundKey } from "./idempotency-key.ts";

/**
 * An unknown id, or the id of a resource of another kind, which is named if it is the caller's own.
 * `path` is the id's place in the request. Source: P-101, P-103, P-160, P-163.
 */
export function unknownId(path: string, kind: string, ownKind?: string): ApiError {
  const name = path.replace(/^Data\./, "");
  const [noun, suffix] = name === "ConsentId" ? ["consent", "-consents"] : ["order", "s"];
  if (ownKind === undefined) {
    const message =
      `There is no ${kind} ${noun} with this id. Check the id: it must be ` +
      `${returnedBy(name, `/${kind}${suffix}`)}.`;
    return refusal("U011", path, message);
  }
  // the consent of an order has its id in the body
  const right = `/${ownKind}${path === name ? suffix : "s"}`;
  const message = `This id belongs to a ${ownKind} ${noun}. Send the request to ${right}.`;
  return refusal("U011", path, message);
}

/** An order on the path of another kind than the consent of its token has. Source: P-160. */
export const consentOfOtherKind = (kind: string, asked: string): ApiError =>
  refusal(
    "U011",
    "Data.ConsentId",
    `The consent is a ${kind} consent, and this path takes orders of ${asked} consents. ` +
      `POST the order to /${kind}s.`,
  );

/** Why a TPP may not use a type of the commercial scheme. Source: CV-20, CV-21. */
export const shutOutText = (type: string, status: "Suspended" | "Revoked"): string =>
  `The status of your organisation in the scheme is ${status}, so you cannot use ${type}.`;

/** The TPP's organisation is shut out of the scheme of the consent. Source: CV-21. */
export const shutOut = (path: string, type: string, status: "Suspended" | "Revoked"): ApiError =>
  forbidden("AG08", path, shutOutText(type, status));

/** The customer has paused the payments of the consent at the bank. Source: CV-88. */
export function checkNotPaused({ pausedAt }: Pick<Consent, "pausedAt">): void {
  if (pausedAt === null) return;
  const message =
    "The customer has paused the payments of this consent, which stays authorised. Send the " +
    "request again after the customer has resumed them at the bank.";
  throw forbidden("AG08", "Data.ConsentId", message);
}

/** What a TPP can do about a consent that cannot be used yet, or no longer. */
const waysOut: Partial<Record<ConsentStatus, string>> = {
  AWUP: "Upload the file of the consent, and send the customer to authorise the consent.",
  AWAU: "Send the customer to authorise the consent, and use the access token of that grant.",
  COND: "An order has used up the consent. Create a new consent for another order.",
  CANC: "The customer has revoked the consent. Ask the customer to authorise it again.",
};

/** The consent's status does not allow the request. Source: P-149…P-151, P-185, P-202. */
export function wrongStatus(
  { words }: Pick<ConsentRules, "words">,
  status: ConsentStatus,
  needed: readonly ConsentStatus[] = ["AUTH"],
): ApiError {
  const wayOut = needed.includes("AUTH") ? waysOut[status] : undefined;
  const wanted = needed.map((one) => words[one]);
  // v3.1 has no word for a consent that was withdrawn, or that has expired
  const isNamed = !wanted.includes(words[status]);
  const message =
    (isNamed
      ? `The consent's status is ${words[status]}; this request needs ${wanted.join(" or ")}. `
      : "The consent cannot be used any more. ") + (wayOut ?? "Create a new consent.");
  return refusal("U009", "Data.Status", message);
}

/**
 * A scheduled payment is debited on its date, so there are no funds to confirm. Source: P-189.
 */
export const fundsNotAtOnce = (path: string | undefined): ApiError =>
  refusal(
    "U009",
    path,
    "Funds can be confirmed only if RateType is Actual. With another RateType, the account is " +
      "debited only on the payment date, so there are no funds to confirm yet.",
  );

/**
 * A member of the request differs from the consent: the message shows both values, shortened.
 * Source: P-152…P-158.
 */
export const different = (path: string | undefined, agreed: unknown, sent: unknown): ApiError =>
  refusal(
    "U008",
    path,
    `This field must be the same as in the consent: the consent has ${shown(agreed)}, and this ` +
      `request has ${shown(sent)}.${agreed === undefined ? " Leave it out." : ""}`,
  );

const longestShown = 80;

function shown(value: unknown): string {
  if (value === undefined) return "no such field";
  const text = JSON.stringify(value);
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

/** The quoted rate has expired. Source: P-127. */
export const quoteExpired = (expired: Temporal.Instant): ApiError =>
  refusal(
    "U009",
    "Data.ExchangeRateInformation.ExpirationDateTime",
    `The exchange rate expired at ${formatInstant(expired)}. Create a new consent.`,
  );

/** The cut-off has passed, and the bank rejects late payments. */
export const afterCutOff = (): ApiError =>
  refusal("U012", undefined, "Today's cut-off for immediate payments has passed.");

/** The codes with which members of a consent's body, or of a file's payments, are refused. */
export const fieldCodes = ["U001", "U002", "U003", "U004", "U005", "U010"] as const;

/** The refusal of an idempotency key that was used with another body. */
export type KeyConflict = { status: 409; code: "U029" } | { status: 400; code: "U006" };

type KeyRules = { keyConflict?: KeyConflict };

/** Adds the refusals of a key that was used with another body to those of an operation. */
export const withKeyRefusals = (
  refusals: ListedRefusals & { readonly 400: readonly CodeFor<400>[] },
  { keyConflict }: KeyRules,
): ListedRefusals =>
  keyConflict
    ? { ...refusals, ...(keyConflict.status === 409 ? { 409: ["U029"] } : {}) }
    : { ...refusals, 400: [...refusals[400], "U029"], 422: ["U029"] };

/**
 * Throws if a key is used again with another body. A body without a fingerprint is another one.
 * Source: P-050, D-401-09.
 */
export function checkSameRequest(
  bound: BoundKey,
  fingerprint: string | null,
  { version, keyConflict }: KeyRules & { version: ApiVersion },
  config: PaymentConfig,
): void {
  if (bound.fingerprint === fingerprint) return;
  const message = "This key was used with another body. Nothing has been changed. Use a new key.";
  const url = version.headers.idempotencyKey.guide;
  const fault = { path: idempotencyHeader, url, message };
  if (keyConflict?.status === 400) throw new ApiError(400, [{ ...fault, code: keyConflict.code }]);
  const status = keyConflict?.status ?? config.IDEMPOTENCY_CONFLICT_STATUS;
  throw new ApiError(status, [{ ...fault, code: "U029" }]);
}

/** The consent of the caller's token. */
export const grantedTo = (request: OperationRequest): string =>
  present(request.access.consent, "the consent of a token of a customer's grant").consentId;

/** The idempotency key, whose format the kit has checked. */
export const keyOf = (request: OperationRequest): string =>
  present(request.idempotencyKey, "the key of an idempotent operation");

/** A path parameter. */
export const paramOf = (request: OperationRequest, name: string): string =>
  present(request.params[name], `the path parameter ${name}`);
