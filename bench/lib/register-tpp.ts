import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { BenchBank } from "./bank.ts";

/** A new TPP of a bank, and the bank's customers. */
export type RegisteredTpp = {
  tpp: TppCredentials;
  customers: readonly SandboxCustomer[];
  /** Calls a control of the sandbox: POST if there is a body, otherwise GET. */
  control<Result>(path: string, body?: object): Promise<Result>;
};

/** Registers a TPP whose tokens are not bound to a certificate. */
export async function registerTpp(
  { publicUrl }: Pick<BenchBank, "publicUrl">,
  role: "AISP" | "PISP",
): Promise<RegisteredTpp> {
  const control = async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${publicUrl}/sandbox/v1${path}`, {
      method: body ? "POST" : "GET",
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as T; // the sandbox's own interface
  };
  const registration = {
    name: "Benchmark",
    roles: [role],
    redirectUris: ["http://localhost:7878/callback"],
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: false,
  };
  type Issued = Omit<TppCredentials, keyof typeof registration>;
  const issued = await control<Issued>("/tpps", registration);
  const { customers } = await control<{ customers: SandboxCustomer[] }>("/customers");
  return { tpp: { ...issued, ...registration }, customers, control };
}
