import { compareWays } from "./lib/in-ways.ts";

// What the log of requests costs: the CPU time of a page and of an order without a log, with one,
// and with one that keeps bodies.
await compareWays({
  title: "The log of requests",
  ways: {
    "no log": { REQUEST_LOG_ENTRIES: "0" },
    log: { REQUEST_LOG_BODIES: "false" },
    "log with bodies": { REQUEST_LOG_BODIES: "true" },
  },
  aims: { log: "aim: at most 1.05" },
  // the log is written about once a second: its last second belongs to what is measured
  lingerMilliseconds: 1300,
});
