import type { LogEntry } from "#src/request-log/entry.ts";
import {
  type ApiVersion,
  type ApiVersionId,
  type ConsentStatus,
  versionName,
} from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";

type OfVersion = { apiVersion: ApiVersionId };
type Answered = Pick<LogEntry, "api" | "path" | "status">;

/** The words in which TPPs read statuses, reasons and error codes, by the version of the API. */
export type VersionWords = {
  /** The name of the version, such as `v3.1`. */
  version(of: OfVersion): string;
  /** The status of a consent. */
  consent(of: OfVersion, status: string): string;
  /** The status of an order. */
  order(of: OfVersion & { kind: KindId }, status: string): string;
  /** A reason of a status, with its code if the version has such codes. */
  reason(of: OfVersion, reason: { code?: string; text: string }): string;
  /** A code in the answer to a request; the code itself outside the APIs. */
  code(request: Answered, code: string): string;
  /** The codes of the log that some version has by this code or name; itself if none has. */
  codesNamed(code: string): readonly string[];
};

type Rows = Readonly<Record<string, { name: string; codes: Readonly<Record<number, string>> }>>;

const rowsOf = ({ errors }: ApiVersion): Rows => errors.table;

/** An error code as answers of this version and status have it; itself if the version lacks it. */
export function codeIn(version: ApiVersion, code: string, status: number): string {
  const rows = rowsOf(version);
  return (Object.hasOwn(rows, code) && rows[code]?.codes[status]) || code;
}

/** Makes the words of these versions; a status or code of any other version is kept as it is. */
export function wordsOf(
  versions: readonly ApiVersion[],
  order: VersionWords["order"],
): VersionWords {
  const byId = new Map(versions.map((version) => [version.id as string, version]));
  return {
    version({ apiVersion }) {
      const version = byId.get(apiVersion);
      return version ? versionName(version) : apiVersion;
    },
    consent: ({ apiVersion }, status) =>
      byId.get(apiVersion)?.consents.words[status as ConsentStatus] ?? status,
    order,
    reason({ apiVersion }, { code, text }) {
      const hasCodes = byId.get(apiVersion)?.consents.renderReason !== null;
      return hasCodes && code !== undefined ? `${code}: ${text}` : text;
    },
    code({ api, path, status }, code) {
      // a path that nothing serves has no API, but it is answered as those of its version
      const version =
        byId.get(api ?? "") ?? versions.find(({ basePath }) => path.startsWith(`${basePath}/`));
      return version?.errors.withBody.has(status) ? codeIn(version, code, status) : code;
    },
    codesNamed(code) {
      const named = versions.flatMap((version) =>
        Object.entries(rowsOf(version))
          .filter(([, { name, codes }]) => [name, ...Object.values(codes)].includes(code))
          .map(([own]) => own),
      );
      return named.length === 0 ? [code] : [...new Set(named)];
    },
  };
}

/** A request of the log with the codes of its answer. */
export const inWords = <Entry extends Answered & Pick<LogEntry, "codes">>(
  entry: Entry,
  words: VersionWords,
): Entry => ({
  ...entry,
  codes: [...new Set(entry.codes.map((code) => words.code(entry, code)))],
});
