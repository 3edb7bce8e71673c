import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { BankAddress, TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { startPostgres } from "#test/postgres.ts";
import { type BankProcess, startBank } from "./bank-process.ts";
import { callControl } from "./fuzz/world.ts";
import { fillDatabase } from "./kills.ts";

/** A TPP with a client at each process. */
export type SharedTpp = { tpp: TppCredentials; atOne: TppClient; atOther: TppClient };

/** Two processes of one bank. */
export type TwoProcesses = {
  one: BankProcess;
  other: BankProcess;
  /** The URL of their database. */
  databaseUrl: string;
  /** Registers a TPP, whose tokens are bound to its certificate. */
  createTpp(method?: TppCredentials["tokenEndpointAuthMethod"]): Promise<SharedTpp>;
  /** Calls the sandbox's interface, by default that of the first process. */
  control<T>(method: string, path: string, body?: object, at?: BankAddress): Promise<T>;
  close(): Promise<void>;
};

/**
 * Opens two processes of one bank on PostgreSQL, in both lanes. `samePublicUrl` gives both the
 * public URL of the first, as behind a load balancer. Both have the same settings.
 */
export async function openTwoProcesses({
  samePublicUrl = false,
  settings = {},
}: {
  samePublicUrl?: boolean;
  settings?: Record<string, string>;
} = {}): Promise<TwoProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-two-processes-"));
  const server = await startPostgres();
  const closers = [() => server.stop(), async () => rmSync(folder, { recursive: true })];
  const close = async (): Promise<void> => {
    for (const closer of closers) await closer();
  };
  const start = async (address: Record<string, string>): Promise<BankProcess> => {
    const bank = await startBank(folder, { ...settings, ...address });
    closers.unshift(async () => void (bank.isAlive() && (await bank.close())));
    return bank;
  };
  try {
    const name = `two_processes_${randomUUID().replaceAll("-", "")}`;
    const DATABASE_URL = await server.createDatabase(name);
    await fillDatabase(DATABASE_URL);
    // one after the other, because the first makes the keys
    const one = await start({ DATABASE_URL });
    const { publicUrl } = one;
    const other = await start({
      DATABASE_URL,
      ...(samePublicUrl ? { PUBLIC_URL: publicUrl } : {}),
    });
    if (samePublicUrl) Object.assign(other, { publicUrl });
    const control: TwoProcesses["control"] = (method, path, body, at = one) =>
      callControl(at, method, path, body);
    return {
      one,
      other,
      databaseUrl: DATABASE_URL,
      control,
      async createTpp(tokenEndpointAuthMethod = "private_key_jwt") {
        const request = { redirectUris: ["https://tpp.example/callback"], tokenEndpointAuthMethod };
        const issued = await control<TppCredentials>("POST", "/tpps", {
          name: "Shared TPP",
          roles: ["AISP", "PISP"],
          ...request,
        });
        const tpp: TppCredentials = { ...issued, ...request, certificateBound: true };
        const [atOne, atOther] = [new TppClient(one, tpp), new TppClient(other, tpp)];
        closers.unshift(async () => {
          atOne.close();
          atOther.close();
        });
        return { tpp, atOne, atOther };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
