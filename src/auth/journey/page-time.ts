import { momentText } from "#src/pages/wording.ts";
import { countsActivity } from "./journey-row.ts";
import type { Place } from "./load-journey.ts";

type Times = Pick<Place, "row" | "closesAt">;

const closesBefore = ({ row, closesAt }: Times): boolean =>
  closesAt !== null && Temporal.Instant.compare(closesAt, row.expiresAt) <= 0;

/** When the current page ends: with the step's own time, or before it with the consent. */
export const pageEnd = (place: Times): Temporal.Instant =>
  (closesBefore(place) ? place.closesAt : null) ?? place.row.expiresAt;

/** The time that the customer has for the page of a step. More time cannot outlast the consent. */
export const pageTimeOf = (place: Place, step: string) => {
  const { row, now } = place;
  const isOffered = countsActivity(row) || row.extendedStep !== step;
  return { until: momentText(pageEnd(place), now), canExtend: isOffered && !closesBefore(place) };
};

/** The end of a page's time if the customer asks for more. */
export const extendedTime = ({ row, now }: Place, minutes: number): Temporal.Instant =>
  (countsActivity(row) ? now : row.expiresAt).add({ minutes });
