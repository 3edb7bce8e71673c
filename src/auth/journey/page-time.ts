import { momentText } from "#src/pages/wording.ts";
import { countsActivity } from "./journey-row.ts";
import type { Place } from "./load-journey.ts";

/** The time that the customer has for the page of a step. */
export const pageTimeOf = ({ row, now }: Place, step: string) => ({
  until: momentText(row.expiresAt, now),
  canExtend: countsActivity(row) || row.extendedStep !== step,
});

/** The end of a page's time if the customer asks for more. */
export const extendedTime = ({ row, now }: Place, minutes: number): Temporal.Instant =>
  (countsActivity(row) ? now : row.expiresAt).add({ minutes });
