import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { managementPortOf } from "#src/config/addresses.ts";
import type { Config } from "#src/config/config.ts";

/**
 * Returns different ports that are free now: for configurations with port 0, whose URLs must be
 * known first.
 */
export async function freePorts(host: string, count: number): Promise<number[]> {
  const servers: Server[] = [];
  try {
    // each listens until all do, because the system may return a released port again
    for (let left = count; left > 0; left -= 1) {
      const server = createServer().listen(0, host);
      servers.push(server);
      await once(server, "listening");
    }
    return servers.map((server) => (server.address() as AddressInfo).port); // never a pipe
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/**
 * Refuses ports that another program has taken, before the work that precedes listening. Throws
 * the system's error, which names the port.
 */
export async function requireFreePorts(config: Config): Promise<void> {
  const { PUBLIC_HOST: host, MANAGEMENT_HOST } = config;
  const wanted = [
    { host, port: config.PUBLIC_PORT },
    { host, port: config.MTLS_PORT },
    { host: MANAGEMENT_HOST, port: managementPortOf(config) },
  ];
  for (const { host, port } of wanted.filter(({ port }) => port !== 0)) {
    const server = createServer().listen(port, host);
    await once(server, "listening");
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Replaces port 0 by a free port here, because URLs contain the port. */
export async function withPorts(config: Config): Promise<Config> {
  const { PUBLIC_PORT, MTLS_PORT } = config;
  if (PUBLIC_PORT && MTLS_PORT) return config;
  const [forBrowsers = 0, forTpps = 0] = await freePorts(config.PUBLIC_HOST, 2);
  return {
    ...config,
    PUBLIC_PORT: PUBLIC_PORT || forBrowsers,
    MTLS_PORT: MTLS_PORT || forTpps,
  };
}
