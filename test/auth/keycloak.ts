import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "#test/free-port.ts";

/** The realm and the extension for Keycloak that a bank starts from. */
export const exampleFolder = fileURLToPath(new URL("../../examples/keycloak/", import.meta.url));

/** A Keycloak server on this machine, with one realm. */
export type Keycloak = { url: string; issuer: string; close(): Promise<void> };

/** Why Keycloak cannot be run here; null if it can. */
export function whyNoKeycloak(): string | null {
  const home = process.env.KEYCLOAK_HOME;
  if (home === undefined) return "KEYCLOAK_HOME is not set: the folder of a Keycloak distribution";
  if (!existsSync(join(home, "bin/kc.sh"))) return `${home} has no bin/kc.sh`;
  return spawnSync("javac", ["-version"]).status === 0 ? null : "this machine has no JDK";
}

/**
 * Starts a copy of Keycloak with an empty database in memory, and lets it import the realm. With
 * our extension, it also passes on parameters that it does not know.
 */
export async function openKeycloak(
  realm: { realm: string },
  environment: Record<string, string>,
  { isExtended }: { isExtended: boolean },
): Promise<Keycloak> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "aldgate-keycloak-"));
  const home = join(folder, "keycloak");
  await cp(process.env.KEYCLOAK_HOME ?? "", home, { recursive: true });
  if (isExtended) buildExtension(home, join(folder, "classes"));
  await mkdir(join(home, "data/import"), { recursive: true });
  await writeFile(join(home, "data/import/realm.json"), JSON.stringify(realm));
  const options = ["--http-host=127.0.0.1", `--http-port=${port}`, "--cache=local"];
  const limits = "--spi-login-protocol--openid-connect--add-req-params-max";
  const passed = isExtended ? [`${limits}-number=20`, `${limits}-size=20000`] : [];
  const more = ["--db=dev-mem", "--import-realm", ...passed];
  const child = spawn(join(home, "bin/kc.sh"), ["start-dev", ...options, ...more], {
    cwd: folder,
    detached: true,
    env: { ...process.env, JAVA_OPTS_KC_HEAP: "-Xms128m -Xmx700m", ...environment },
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => void log.push(chunk.toString()));
  }
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const close = async () => {
    // the script starts Java in its own group
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const issuer = `${url}/realms/${realm.realm}`;
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`Keycloak has stopped: ${log.join("")}`);
      return isUp(issuer);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { url, issuer, close };
}

function buildExtension(home: string, classes: string): void {
  const extension = join(exampleFolder, "extension");
  const source = join(extension, "Approval.java");
  run("javac", ["--release", "17", "-cp", join(home, "lib/lib/main/*"), "-d", classes, source]);
  const folders = ["META-INF", "theme-resources"].flatMap((name) => ["-C", extension, name]);
  const jar = join(home, "providers/aldgate-approval.jar");
  run("jar", ["--create", "--file", jar, "-C", classes, ".", ...folders]);
}

function run(program: string, words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

const isUp = async (issuer: string): Promise<boolean> =>
  fetch(issuer).then(
    ({ ok }) => ok,
    () => false,
  );

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1200; turn += 1) {
    if (await isDone()) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error("Keycloak has not started within ten minutes");
}

/** The code that a customer's authenticator shows now: a TOTP with SHA-1 and 6 digits. */
export function oneTimeCode(secret: string): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(at) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
