/** The benchmark that leaves a seeded bank behind, so that signed-order need not seed one. */
export const seeding = "start-and-memory";

/** The benchmarks that run if none is named, in this order. */
export const benchmarks: readonly string[] = [
  seeding,
  "transactions-page",
  "deep-pages",
  "random-pages",
  "standby-pages",
  "signed-order",
  "signing",
  "events",
  "event-delivery",
  "funds-confirmation",
  "journeys",
  "limited-orders",
  "settlement",
  "schedule",
  "file",
  "due-orders",
  "feed",
  "open-bank",
  "request-log",
  "worlds",
];

/**
 * The benchmarks that run only if they are named: two take many minutes, and `traces` needs npm's
 * registry.
 */
export const named: readonly string[] = ["open-loop", "page-sizes", "traces"];

/** The benchmarks that run only if they are named, with a commit. */
export const comparisons: readonly string[] = [
  "journeys-against",
  "orders-against",
  "pages-against",
];

const isSized = (word: string): boolean => /^feed=[1-9][0-9]{0,8}$/.test(word);

function isComparison(word: string): boolean {
  const [name = "", commit = ""] = word.split("=");
  return comparisons.includes(name) && /^[^-]/.test(commit);
}

/** What `npm run bench -- --help` prints. */
export const usage: string = [
  "npm run bench -- [NAME ...] [--quick]",
  "",
  "Runs the named benchmarks. Without a name, runs all of these:",
  ...benchmarks.map((name) => `  ${name}`),
  "With a size, such as feed=5000000, feed loads so many transactions.",
  "These run only if they are named:",
  "  open-loop                finds the highest rate of arrivals that the bank keeps up with",
  "  page-sizes               compares pages of a bank with 20 million transactions and with 0.2 million",
  "  traces                   installs an OpenTelemetry SDK, and measures what traces cost",
  "  journeys-against=COMMIT  compares the CPU time of journeys with that of an earlier commit",
  "  orders-against=COMMIT    compares the times of orders and settlement with those of an earlier commit",
  "  pages-against=COMMIT     compares the CPU time of a page with that of an earlier commit",
  "",
  "  --quick  measures with fewer repetitions",
  "  --help   prints this text",
].join("\n");

/** The parsed arguments of `npm run bench`. */
export type BenchArguments =
  | { does: "help" }
  | { does: "refuse"; message: string }
  | { does: "run"; names: readonly string[] };

/** Reads the arguments of `npm run bench`. */
export function readArguments(given: readonly string[]): BenchArguments {
  if (given.includes("--help") || given.includes("-h")) return { does: "help" };
  const names = given.filter((word) => word !== "--quick");
  const unknown = names.find(
    (name) =>
      !(benchmarks.includes(name) || named.includes(name) || isComparison(name) || isSized(name)),
  );
  if (unknown === undefined) return { does: "run", names: names.length > 0 ? names : benchmarks };
  const what = unknown.startsWith("-") ? "option" : "benchmark";
  return {
    does: "refuse",
    message: `There is no ${what} ${unknown}. Use one of these:\n\n${usage}`,
  };
}
