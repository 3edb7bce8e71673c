import { formatDateTime, parseDateTime } from "#src/lib/date-time.ts";

/** Names of the members that hold a date-time, in every kind's initiation. */
export const dateMember = /(DateTime|^Date|^RelatedDate)$/;

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * A request's body as answers may repeat it: its date-times that are not RFC 3339 become so, with
 * the same instant and offset, and everything else stays as it is. `SupplementaryData` has no
 * members that the standard knows.
 */
export function withWrittenDates<Body>(body: Body): Body {
  // the copy has the shape of the original
  return rewritten("", body) as Body;
}

function rewritten(name: string, value: unknown): unknown {
  if (typeof value === "string") {
    if (!dateMember.test(name) || rfc3339.test(value)) return value;
    const parsed = parseDateTime(value);
    return parsed ? formatDateTime(parsed) : value;
  }
  if (typeof value !== "object" || value === null || name === "SupplementaryData") return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => rewritten("", item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [member, given] of Object.entries(value)) {
    const made = rewritten(member, given);
    if (made === given) continue;
    copy ??= { ...value };
    copy[member] = made;
  }
  return copy ?? value;
}
