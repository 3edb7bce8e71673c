import { after, before } from "node:test";
import { openAuthBed } from "./auth-bed.ts";
import { type EndingPlace, endingDrives, loggedInBy, testEndings } from "./ending-drives.ts";
import { openJourneys } from "./journeys.ts";
import { assess } from "./refused-ending.ts";

// Every ending of a journey in which the customer confirms in the bank's app, and can have no code:
// no page of these journeys names one.

const at = {} as EndingPlace;
before(async () => {
  const bed = await openAuthBed({ inApp: "only", bank: { assess } });
  Object.assign(at, { bed, journeys: await openJourneys(bed) });
});
after(() => at.bed?.close());

const drives = endingDrives(at);
testEndings(
  at,
  {
    ...drives,
    cancelled: {
      ...drives.cancelled,
      leave: async (visitor) => {
        await visitor.login("anna");
        at.bed.answerInApp("declined");
        await visitor.open(visitor.shown.url);
      },
    },
    too_weak: {
      ...drives.too_weak,
      leave: async (visitor, opened) => {
        await visitor.login("anna");
        await loggedInBy(at.bed, opened, ["otp"]);
        at.bed.answerInApp("weak");
        await visitor.open(visitor.shown.url);
      },
    },
    altered: {
      ...drives.altered,
      leave: async (visitor) => {
        await visitor.login("anna");
        at.bed.answerInApp("altered");
        await visitor.open(visitor.shown.url);
      },
    },
    too_many_codes: {
      ...drives.too_many_codes,
      shows: [/Approving is locked until \d\d:\d\d/, "too many tries without an approval"],
      // five refusals in a row lock the factor: a later approval is not taken
      leave: async (visitor) => {
        for (let turn = 0; turn < 5; turn += 1) {
          const { visitor: one } = await at.journeys.visit("account-access");
          await one.login("ben");
          at.bed.answerInApp("declined");
          await one.open(one.shown.url);
        }
        await visitor.login("ben");
        at.bed.answerInApp("approved");
        for (let turn = 0; turn < 5; turn += 1) {
          at.bed.advance({ seconds: 2 });
          await visitor.open(visitor.shown.url);
        }
      },
    },
  },
  "app",
);
