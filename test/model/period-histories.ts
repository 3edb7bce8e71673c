import type { BrokenHistory } from "./broken-history.ts";
import type { Scene } from "./scene.ts";

/** A limit of 1,000 pence, its first period from Monday 1 March 2027, and what that one allows. */
type FirstPeriod = {
  type: string;
  alignment: string;
  allowed: number;
  last: string;
  next: string;
};

const first = (
  type: string,
  alignment: string,
  [allowed, last, next]: [number, string, string],
): FirstPeriod => ({ type, alignment, allowed, last, next });

const firstPeriods = [
  first("Day", "Consent", [1000, "2027-03-01", "2027-03-02"]),
  first("Week", "Consent", [1000, "2027-03-07", "2027-03-08"]),
  first("Fortnight", "Consent", [1000, "2027-03-14", "2027-03-15"]),
  first("Month", "Consent", [1000, "2027-03-31", "2027-04-01"]),
  first("Half-year", "Consent", [1000, "2027-08-31", "2027-09-01"]),
  first("Year", "Consent", [1000, "2028-02-29", "2028-03-01"]),
  first("Day", "Calendar", [1000, "2027-03-01", "2027-03-02"]),
  first("Week", "Calendar", [1000, "2027-03-07", "2027-03-08"]),
  first("Month", "Calendar", [1000, "2027-03-31", "2027-04-01"]),
  // 122 of 181 days, and 306 of 365
  first("Half-year", "Calendar", [674, "2027-06-30", "2027-07-01"]),
  first("Year", "Calendar", [838, "2027-12-31", "2028-01-01"]),
];

/** Uses up the first period, and orders a penny more on a day. */
const usedUp = (scene: Scene, { type, alignment, allowed, last }: FirstPeriod, day: string) =>
  scene
    .lodgeVrp("v1", { periods: [{ type, alignment, amount: 1000 }] })
    .decide("v1")
    .order("v1", { key: "k1", orderId: "o1", amount: 500 })
    .order("v1", { key: "k2", orderId: "o2", amount: allowed - 500, created: at(last) })
    .order("v1", { key: "k3", orderId: "o3", amount: 1, created: at(day) })
    .kept(
      ...["o1", "o2", "o3"].map((orderId, index) => {
        const amount = [500, allowed - 500, 1][index] ?? 0;
        return { consentId: "v1", orderId, amount };
      }),
    );

const at = (day: string): string => `${day}T12:00:00Z`;

const nameOf = ({ type, alignment }: FirstPeriod, when: string): string =>
  `${type} by ${alignment}, a penny more ${when}`;

/** A penny more on the last day of a period. */
export const ofPeriods: BrokenHistory[] = firstPeriods.map((period) => ({
  rule: "no period's payments exceed its limit",
  name: nameOf(period, "on the last day"),
  write: (scene) => usedUp(scene, period, period.last),
}));

/** The same penny a day later. */
export const inNextPeriod = firstPeriods.map((period) => ({
  name: nameOf(period, "on the first day of the next"),
  write: (scene: Scene) => usedUp(scene, period, period.next),
}));
