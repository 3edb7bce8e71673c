// A certificate that real proxies forward. A proxy that is not installed is skipped.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { freePort } from "#test/free-port.ts";
import { expectStatus, openBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";

type Place = { folder: string; port: number; upstream: string; pem: string; ca: string };
type Proxy = {
  name: string;
  /** The header in which the proxy forwards certificates. */
  header: string;
  configure(place: Place): string;
  start(file: string, folder: string): [command: string, words: string[]];
};

// the bank verifies the chain
const ignored = "crt-ignore-err all ca-ignore-err all";

const proxies: Proxy[] = [
  {
    name: "nginx",
    header: "x-ssl-client-cert",
    configure: ({ folder, port, upstream, pem }) => `
      daemon off;
      pid ${folder}/nginx.pid;
      events {}
      http {
        access_log off;
        client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2;
        fastcgi_temp_path ${folder}/t3; uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
        server {
          listen 127.0.0.1:${port} ssl;
          ssl_certificate ${pem};
          ssl_certificate_key ${pem};
          ssl_verify_client optional_no_ca;
          location / {
            proxy_pass ${upstream};
            proxy_set_header Host $host;
            proxy_set_header X-SSL-Client-Cert $ssl_client_escaped_cert;
          }
        }
      }`,
    start: (file, folder) => ["nginx", ["-c", file, "-p", folder, "-e", "stderr"]],
  },
  {
    name: "haproxy",
    header: "client-cert",
    configure: ({ port, upstream, pem, ca }) => `
global
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend tpps
  bind 127.0.0.1:${port} ssl crt ${pem} ca-file ${ca} verify optional ${ignored}
  http-request del-header Client-Cert
  http-request set-header Client-Cert :%[ssl_c_der,base64]: if { ssl_c_used }
  default_backend bank
backend bank
  server bank ${upstream.replace("https://", "")} ssl verify none
`,
    start: (file) => ["haproxy", ["-f", file, "-db"]],
  },
];

const isInstalled = (name: string): boolean =>
  spawnSync(name, [name === "nginx" ? "-v" : "-vv"]).status === 0;

async function untilOpen(port: number, proxy: ChildProcess): Promise<void> {
  const isOpen = (): Promise<boolean> => {
    assert.equal(proxy.exitCode, null, "the proxy has not ended");
    return new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("connect", () => socket.end(() => resolve(true)));
      socket.on("error", () => resolve(false));
    });
  };
  await until(isOpen, Boolean);
}

for (const proxy of proxies) {
  test(`R-095: a TPP behind a real proxy gets bound tokens, and cannot forge the header (${proxy.name})`, async (t) => {
    if (!isInstalled(proxy.name)) return t.skip(`${proxy.name} is not installed`);
    const folder = mkdtempSync(join(tmpdir(), "aldgate-proxy-"));
    for (const name of ["t1", "t2", "t3", "t4", "t5"]) mkdirSync(join(folder, name));
    const bank = await openBank({
      CLIENT_CERTIFICATE_PROXIES: "127.0.0.1/32",
      CLIENT_CERTIFICATE_HEADER: proxy.header,
    });
    const { directory } = present(bank.sandbox, "the sandbox");
    const port = await freePort();
    const pem = join(folder, "server.pem");
    const ca = join(folder, "ca.pem");
    const file = join(folder, "proxy.conf");
    writeFileSync(pem, `${directory.server.cert}\n${directory.server.key}`);
    writeFileSync(ca, directory.caPem);
    const upstream = `https://127.0.0.1:${new URL(bank.mtlsUrl).port}`;
    writeFileSync(file, proxy.configure({ folder, port, upstream, pem, ca }));
    const [command, words] = proxy.start(file, folder);
    const process = spawn(command, words, { stdio: "inherit" });
    try {
      await untilOpen(port, process);
      const tpp = await bank.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
      const behind = new TppClient({ ...bank, mtlsUrl: `https://localhost:${port}` }, tpp.tpp);
      const tokens = await bank.approve(behind, {
        scope: "accounts",
        consentId: await lodgeAccess(behind),
        customer: "amara",
      });
      const path = "/v3.1/aisp/accounts";
      const read = (client: TppClient, headers: Record<string, string> = {}) =>
        client.call({ path, token: tokens.access_token, headers });
      expectStatus(await read(behind), 200);
      const other = await bank.createTpp();
      const thief = new TppClient(behind.bank, other.tpp);
      const raw = Buffer.from(
        tpp.tpp.transport.certificatePem.replace(/-----[^-]+-----|\s/g, ""),
        "base64",
      );
      const forged =
        proxy.name === "nginx"
          ? encodeURIComponent(tpp.tpp.transport.certificatePem)
          : `:${raw.toString("base64")}:`;
      expectStatus(await read(thief), 401);
      expectStatus(await read(thief, { [proxy.header]: forged }), 401);
      behind.close();
      thief.close();
    } finally {
      process.kill();
      await bank.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
