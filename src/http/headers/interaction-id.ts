import { newUuid } from "#src/lib/ids.ts";
import type { HeaderForm } from "#src/standard/api-version.ts";
import { uuidInteractionId } from "#src/standard/shared/header-forms.ts";

/** Name of the header that ties a request to its answer and to the log. */
export const interactionHeader = "x-fapi-interaction-id";

/** The interaction id of a response, and whether the request's id was malformed. */
export type InteractionId = { value: string; malformed: boolean };

/**
 * Returns the request's interaction id. If it is absent or malformed, returns a new one. It must be
 * a UUID unless the version has another format. Source: P-010…P-013, A-001…A-004.
 */
export function takeInteractionId(
  given: string | string[] | undefined,
  form: HeaderForm = uuidInteractionId,
): InteractionId {
  if (given === undefined) return { value: newUuid(), malformed: false };
  if (typeof given === "string" && form.pattern.test(given)) {
    return { value: given, malformed: false };
  }
  return { value: newUuid(), malformed: true };
}
