import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { BenchBank } from "./bank.ts";
import type { JourneyLoad } from "./journey-load.ts";

/** What every load of journeys of a bank shares. */
export type PreparedJourneys = Omit<JourneyLoad, "concurrency" | "journeys">;

/** Registers a TPP for a load of journeys, and returns it with the bank's customers. */
export async function prepareJourneys(
  bank: Pick<BenchBank, "publicUrl" | "mtlsUrl">,
): Promise<PreparedJourneys> {
  const { publicUrl, mtlsUrl } = bank;
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${publicUrl}/sandbox/v1${path}`, {
      method: body ? "POST" : "GET",
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as T; // the sandbox's own interface
  };
  const registration = {
    name: "Benchmark",
    roles: ["PISP"],
    redirectUris: ["http://localhost:7878/callback"],
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: false,
  };
  const issued = await ask<Omit<TppCredentials, keyof typeof registration>>("/tpps", registration);
  const tpp: TppCredentials = { ...issued, ...registration };
  const { customers } = await ask<{ customers: SandboxCustomer[] }>("/customers");
  return { publicUrl, mtlsUrl, tpp, customers };
}
