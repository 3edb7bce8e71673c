import { isIP } from "node:net";
import type { OperationRequest } from "#src/http/operation.ts";

/**
 * Whether the customer is present, which a TPP says by sending the customer's address. What is no
 * address counts as none. Source.
 */
export function isAttended({ headers }: Pick<OperationRequest, "headers">): boolean {
  const address = headers["x-fapi-customer-ip-address"];
  return typeof address === "string" && isIP(address.trim()) !== 0;
}

/**
 * Counts the calls made without the customer: so many a day (UTC) for each consent, resource and
 * account. `admit` gives false when the day's allowance is used up. Each process counts its own
 * calls. Source: A-131.
 */
export class UnattendedLimit {
  readonly #perDay: number;
  #day = "";
  #counts = new Map<string, number>();

  constructor(perDay: number) {
    this.#perDay = perDay;
  }

  admit(what: readonly string[], now: Temporal.Instant): boolean {
    if (this.#perDay === 0) return true;
    const day = now.toString().slice(0, 10);
    if (day !== this.#day) {
      this.#day = day;
      this.#counts = new Map();
    }
    const key = what.join(" ");
    const count = (this.#counts.get(key) ?? 0) + 1;
    if (count > this.#perDay) return false;
    this.#counts.set(key, count);
    return true;
  }
}

/** Seconds until the next day (UTC) starts: at least one. */
export function secondsToNextDay(now: Temporal.Instant): number {
  const here = now.toZonedDateTimeISO("UTC");
  return Math.ceil(here.until(here.startOfDay().add({ days: 1 })).total("seconds"));
}
