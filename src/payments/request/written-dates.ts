import { formatDateTime, parseDateTime } from "#src/lib/date-time.ts";

/** Matches the names of date-time members in the initiation of every kind. */
export const dateMember = /(DateTime|^Date|^RelatedDate)$/;

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns a request's body as responses repeat it. Date-times that are not RFC 3339 are converted
 * to it, with the same instant and offset; everything else is unchanged. `SupplementaryData` is not
 * changed either.
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
