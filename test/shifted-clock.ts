// `npm run soak -- dates` runs tests with a shifted clock: libfaketime is loaded into every
// process, and reads these variables.
const names = ["LD_PRELOAD", "FAKETIME", "FAKETIME_DONT_FAKE_MONOTONIC"];

/** The variables of a shifted clock, for a program with an environment of its own; usually none. */
export const shiftedClock: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).filter(
    (entry): entry is [string, string] => names.includes(entry[0]) && entry[1] !== undefined,
  ),
);
