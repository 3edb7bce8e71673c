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
