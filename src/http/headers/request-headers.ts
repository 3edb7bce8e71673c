import { ApiError, refusal } from "#src/http/api-error.ts";
import { canonicalJson, type Rewrite, sha256 } from "#src/lib/hash.ts";
import { newUuid } from "#src/lib/ids.ts";
import type { HeaderForm } from "#src/standard/api-version.ts";
import { uuidInteractionId } from "#src/standard/shared/header-forms.ts";

/** Name of the header that ties a request to its answer and to the log. */
export const interactionHeader = "x-fapi-interaction-id";

/** The interaction id of a response, and whether the request's id was malformed. */
type InteractionId = { value: string; malformed: boolean };

type Asked = { headers: Readonly<Record<string, unknown>> };
type Answer = { getHeader(name: string): unknown; header(name: string, value: string): unknown };

/**
 * Returns the id of a request and names its answer by it: the id that it brings, or a new one if
 * that is absent or malformed. It must be a UUID unless the API version has another format. The
 * first call decides; `answer` is null if there is none to name yet. Source: P-010…P-013,
 * A-001…A-004.
 */
export function interactionIdOf(
  { headers }: Asked,
  answer: Answer | null,
  form: HeaderForm = uuidInteractionId,
): InteractionId {
  const named = answer?.getHeader(interactionHeader);
  if (typeof named === "string") return { value: named, malformed: false };
  const given = headers[interactionHeader];
  const isUsable = typeof given === "string" && form.pattern.test(given);
  const value = isUsable ? given : newUuid();
  answer?.header(interactionHeader, value);
  return { value, malformed: given !== undefined && !isUsable };
}

/** Name of the header that makes a repeated POST the same request. */
export const idempotencyHeader = "x-idempotency-key";

/** Returns the idempotency key. Throws U007 if it is absent, U006 if its format is wrong. */
export function takeIdempotencyKey(value: string | string[] | undefined, form: HeaderForm): string {
  if (value === undefined) {
    throw refusal("U007", idempotencyHeader, "Send a key that is unique to this request.");
  }
  if (typeof value !== "string" || !form.pattern.test(value)) {
    throw refusal("U006", idempotencyHeader, form.advice);
  }
  return value;
}

/**
 * Identifies a request by its body: SHA-256 (base64url) of the parsed body, independent of spacing
 * and member order, with values rewritten by `rewrite`. Source: P-048, P-049, D-401-10.
 */
export const fingerprint = (body: unknown, rewrite?: Rewrite): string =>
  sha256(canonicalJson(body, rewrite));

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const json: readonly string[] = ["application/json"];

/**
 * Throws 406 unless Accept allows a UTF-8 response in one of these media types. The default is
 * JSON. Source: P-017…P-019, P-211, A-011…A-015.
 */
export function checkAccept(accept: string | undefined, offered = json): void {
  if (accept === undefined || accept === "*/*" || offered.includes(accept)) return;
  chooseContentType(accept, offered);
}

/**
 * Returns the offered media type that the client prefers; the first of them if several are equal.
 * Throws 406 if it accepts none. Source: RFC 9110 section 12.5.1, A-218.
 */
export function chooseContentType(accept: string | undefined, offered: readonly string[]): string {
  const ranges = accept === undefined || accept.trim() === "" ? "*/*" : accept;
  const qualities = offered.map((type) => qualityOf(ranges, type));
  const most = Math.max(...qualities);
  const choice = offered[qualities.indexOf(most)];
  if (choice === undefined || most === 0) {
    const message = `Send Accept: ${offered.join(" or ")}, or leave it out. Text is in UTF-8.`;
    throw new ApiError(406, [{ code: "U006", path: "Accept", message }]);
  }
  return choice;
}

// The most specific range decides (RFC 9110 section 12.5.1); 0 means not acceptable.
function qualityOf(accept: string, type: string): number {
  const ranges = ["*/*", `${type.split("/")[0]}/*`, type];
  let best = -1;
  let quality = 0;
  for (const range of accept.split(",")) {
    const { essence, parameters } = parseMediaType(range);
    const rank = ranges.indexOf(essence);
    if (rank < 0 || rank < best || !isUtf8(parameters.get("charset"))) continue;
    const wanted = Math.max(0, Number(parameters.get("q") ?? "1") || 0);
    quality = rank === best ? Math.max(quality, wanted) : wanted;
    best = rank;
  }
  return quality;
}

/**
 * Throws 415 unless the body is in UTF-8 and has one of these media types. The default is JSON.
 * Source: P-015…P-017, P-200, A-016…A-019.
 */
export function checkContentType(contentType: string | undefined, taken = json): void {
  if (contentType !== undefined && taken.includes(contentType)) return;
  const { essence, parameters } = parseMediaType(contentType ?? "");
  if (!taken.includes(essence) || !isUtf8(parameters.get("charset"))) throw wrongMediaType(taken);
}

/** 415. `taken` lists the media types that a body may have. Source: RFC 9110 section 12.5.1. */
export function wrongMediaType(taken: readonly string[]): ApiError<415> {
  const message = `Send a body with the media type ${taken.join(" or ")}, in UTF-8.`;
  const headers = { accept: taken.join(", ") };
  return new ApiError(415, [{ code: "U006", path: "Content-Type", message }], headers);
}

/** `text/xml` of `Text/XML; charset=utf-8`. */
export const essenceOf = (mediaType: string): string => parseMediaType(mediaType).essence;

/**
 * Throws 400 if a header has the wrong format. The customer's address is not checked: a malformed
 * one counts as absent. Source: P-014, A-005…A-010.
 */
export function checkHeaderForm(headers: Headers, name: string, form: HeaderForm): void {
  const value = headers[name];
  if (value === undefined || (typeof value === "string" && form.pattern.test(value))) return;
  throw refusal("U006", name, form.advice);
}

function parseMediaType(text: string): { essence: string; parameters: Map<string, string> } {
  const [essence = "", ...rest] = text.split(";");
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const [name = "", value = ""] = parameter.split("=");
    parameters.set(name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1"));
  }
  return { essence: essence.trim().toLowerCase(), parameters };
}

const isUtf8 = (charset: string | undefined): boolean =>
  charset === undefined || charset.toLowerCase() === "utf-8";
