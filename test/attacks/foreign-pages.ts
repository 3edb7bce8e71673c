import assert from "node:assert/strict";
import * as http from "node:http";
import fc from "fast-check";

/** An HTTP request with its exact headers, and the address that it is sent from. */
export type Attempt = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
  localAddress?: string;
};

/** Sends a request with exactly these headers, including `Host`. */
export function attempt(
  publicUrl: string,
  request: Attempt,
): Promise<{ status: number; text: string }> {
  const { method, path, headers, body, localAddress } = request;
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, ...(localAddress ? { localAddress } : {}) };
    const sent = http.request(`${publicUrl}${path}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}

const json = { "content-type": "application/json" };

/** Calls that change a sandbox or read its secrets. */
export const controlCalls = [
  { method: "GET", path: "/sandbox/v1/customers", body: null },
  { method: "GET", path: "/sandbox/v1/verify", body: null },
  { method: "PUT", path: "/sandbox/v1/clock", body: '{"advance":"P1D"}' },
  {
    method: "POST",
    path: "/sandbox/v1/tpps",
    body: '{"name":"Evil","roles":["AISP"],"redirectUris":["https://evil.example/cb"]}',
  },
  {
    method: "POST",
    path: "/sandbox/v1/explorer",
    body: '{"method":"GET","path":"/api/open-banking/v3.1/aisp/accounts"}',
  },
] as const;

/** The signs of a foreign page or a proxy. One sign is enough for a refusal. */
const marks: Record<string, fc.Arbitrary<Record<string, string>>> = {
  host: fc
    .constantFrom(
      "rebound.example",
      "rebound.example:8080",
      "localhost.evil.example",
      "evil.example@localhost",
      "127.0.0.1.evil.example",
      "localhost:80:80",
      "10.0.0.7",
      "[::2]",
      "0",
      "0x7f.1",
    )
    .map((host) => ({ host })),
  origin: fc
    .constantFrom(
      "null",
      "https://evil.example",
      "http://localhost:1",
      "http://127.0.0.1:1",
      "http://localhost.evil.example",
      "file://",
      "https://localhost",
    )
    .map((origin) => ({ origin })),
  site: fc.constantFrom("cross-site", "same-site").map((site) => ({ "sec-fetch-site": site })),
  proxy: fc
    .tuple(
      fc.constantFrom(
        "forwarded",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-forwarded-anything",
        "x-real-ip",
        "x-client-ip",
        "x-original-url",
        "cf-connecting-ip",
        "true-client-ip",
        "x-envoy-internal",
      ),
      fc.constantFrom("203.0.113.9", "127.0.0.1", "localhost", ""),
    )
    .map(([name, value]) => ({ [name]: value })),
  type: fc
    .constantFrom(
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "text/plain; charset=application/json",
      "application/json-evil",
    )
    .map((type) => ({ "content-type": type })),
};

/**
 * Sends `count` requests to a sandbox's controls, each with at least one sign of a foreign page or
 * a proxy. Throws unless every request is refused. Returns how many were.
 */
export async function attackControls(options: {
  publicUrl: string;
  count: number;
  seed: number;
}): Promise<number> {
  const { publicUrl, count, seed } = options;
  const honest = { host: new URL(publicUrl).host, ...json };
  const marked = fc
    .subarray(Object.keys(marks), { minLength: 1 })
    .chain((names) => fc.tuple(...names.map((name) => marks[name] ?? fc.constant({}))))
    .map((some) => Object.assign({}, ...some) as Record<string, string>);
  const cases = fc.sample(fc.tuple(fc.constantFrom(...controlCalls), marked), {
    seed,
    numRuns: count,
  });
  for (const [call, mark] of cases) {
    // a form's media type is a sign of a page only if the request has a body
    if (Object.keys(mark).join() === "content-type" && call.body === null) continue;
    const headers = { ...honest, ...mark };
    const { status, text } = await attempt(publicUrl, { ...call, headers });
    const shown = `seed ${seed}: ${call.method} ${call.path} ${JSON.stringify(mark)}: ${text}`;
    assert.ok(status === 403 || status === 415, `${status} ${shown}`);
    assert.doesNotMatch(text, /password|PRIVATE KEY/, shown);
  }
  return cases.length;
}
