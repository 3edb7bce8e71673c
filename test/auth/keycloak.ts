import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "#test/free-port.ts";

/** A Keycloak server on this machine, with one realm. */
export type Keycloak = { url: string; issuer: string; close(): Promise<void> };

/** Why Keycloak cannot be run here; null if it can. */
export function whyNoKeycloak(): string | null {
  const home = process.env.KEYCLOAK_HOME;
  if (home === undefined) return "KEYCLOAK_HOME is not set: the folder of a Keycloak distribution";
  if (!existsSync(join(home, "bin/kc.sh"))) return `${home} has no bin/kc.sh`;
  return spawnSync("java", ["-version"]).status === 0 ? null : "this machine has no Java";
}

const admin = { username: "admin", password: "admin-of-a-test" };
const realm = "bank";

/** Starts Keycloak with an empty database in memory, and creates a realm. */
export async function openKeycloak(settings: object): Promise<Keycloak> {
  const home = process.env.KEYCLOAK_HOME ?? "";
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "aldgate-keycloak-"));
  const options = [`--http-host=127.0.0.1`, `--http-port=${port}`, "--cache=local"];
  const database = ["--db=dev-mem"];
  const child = spawn(join(home, "bin/kc.sh"), ["start-dev", ...options, ...database], {
    cwd: folder,
    detached: true,
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
      JAVA_OPTS_KC_HEAP: "-Xms128m -Xmx700m",
    },
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
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`Keycloak has stopped: ${log.join("")}`);
      return isUp(url);
    });
    await createRealm(url, settings);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, issuer: `${url}/realms/${realm}`, close };
}

const isUp = async (url: string): Promise<boolean> =>
  fetch(`${url}/realms/master`).then(
    ({ ok }) => ok,
    () => false,
  );

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    if (await isDone()) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error("Keycloak has not started within five minutes");
}

async function createRealm(url: string, settings: object): Promise<void> {
  const asked = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "password", client_id: "admin-cli", ...admin }),
  });
  const { access_token: token } = (await asked.json()) as { access_token: string };
  const answer = await fetch(`${url}/admin/realms`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ realm, enabled: true, sslRequired: "none", ...settings }),
  });
  if (!answer.ok) throw new Error(`the realm was refused: ${await answer.text()}`);
}
