import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { HostName } from "./network.ts";

const folder = fileURLToPath(new URL("../../examples/cluster/", import.meta.url));

/** The files of the reference set-up, which the lane runs as they are but for their folders. */
type ExampleFile =
  | "etcd.env"
  | "patroni.env"
  | "patroni.yml"
  | "disk-guard.sh"
  | "haproxy.cfg"
  | "aldgate.env"
  | "aldgate@.service"
  | "pgbackrest.conf"
  | "restore.yml";

/** Reads a file of the reference set-up, with other folders in place of a host's own. */
export function readExample(file: ExampleFile, folders: Record<string, string> = {}): string {
  let text = readFileSync(folder + file, "utf8");
  for (const [own, other] of Object.entries(folders)) text = text.replaceAll(own, other);
  return text;
}

/** Reads the variables of a file. The lists of all hosts stay, and `db1` becomes the host. */
export function readVariables(text: string, host?: HostName): Record<string, string> {
  const lines = text.split("\n").filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      const [name, value] = [line.slice(0, at), line.slice(at + 1)];
      const isList = value.includes("db2");
      return [name, host === undefined || isList ? value : value.replaceAll("db1", host)];
    }),
  );
}
