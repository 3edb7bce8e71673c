import { newUuid } from "#src/lib/ids.ts";
import { type ApiError, refusal } from "./api-error.ts";
import type { Api } from "./operation.ts";

/** Name of the header that ties a request to its answer and to the log. */
export const interactionHeader = "x-fapi-interaction-id";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const printable = /^[\x20-\x7e]{1,128}$/;

/** The id that an answer carries, and whether what the request sent may not be echoed. */
export type InteractionId = { value: string; malformed: boolean };

/**
 * Takes over the request's interaction id, or makes one when it sent none or one that the version
 * does not echo. Source: P-010…P-013, A-001…A-004.
 */
export function takeInteractionId(
  given: string | string[] | undefined,
  rule: Api["interactionIds"],
): InteractionId {
  if (given === undefined) return { value: newUuid(), malformed: false };
  const pattern = rule === "printable" ? printable : uuid;
  if (typeof given === "string" && pattern.test(given)) return { value: given, malformed: false };
  return { value: newUuid(), malformed: true };
}

/** The refusal of a malformed interaction id. */
export const malformedInteractionId = (rule: Api["interactionIds"]): ApiError =>
  refusal(
    "U006",
    interactionHeader,
    rule === "printable"
      ? "Send at most 128 printable ASCII characters, or leave the header out."
      : "Send a UUID (RFC 4122), or leave the header out.",
  );
