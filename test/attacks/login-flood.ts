import * as http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { domesticConsent } from "#test/payments/fixture.ts";
import { patienceMs } from "#test/until.ts";
import { createDraw, type Draw } from "./fuzz/draw.ts";
import { callControl, registerTpp } from "./fuzz/world.ts";

/** The number of logins, and how many run at the same time. */
export type FloodOptions = { logins: number; atOnce: number; seed: number };

/** The result of the attack. */
export type FloodReport = {
  /** Counts by status. `none` is a connection that the bank closed. */
  answers: Map<string, number>;
  reads: {
    answered: number;
    slowestMs: number;
    /** The largest number of logins that the bank finished while one read waited. */
    mostOvertaking: number;
  };
  findings: string[];
};

const addresses = ["127.0.1.1", "127.0.1.2", "127.0.1.3", "127.0.1.4"];

/**
 * Floods the bank's login with wrong passwords from several addresses while a TPP reads. The reads
 * must succeed, the flood must be refused in an orderly way, and a customer must be able to log in
 * afterwards.
 */
export async function floodLogins(
  address: BankAddress,
  { logins, atOnce, seed }: FloodOptions,
): Promise<FloodReport> {
  const findings = new Set<string>();
  const answers = new Map<string, number>();
  const reader = await createReader(address);
  const over = new AbortController();
  let judged = 0;
  const reading = reader.readUntil(over.signal, () => judged);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < logins; number = next++) {
      const answer = await tryLogin(address, createDraw(seed, number));
      const name = answer === null ? "none" : String(answer.status);
      answers.set(name, (answers.get(name) ?? 0) + 1);
      if (answer?.status === 200) judged += 1;
      if (!answer) continue;
      const waits = answer.status === 429 || answer.status === 503;
      if (answer.status >= 500 && !waits) findings.add(`a login was answered ${answer.status}`);
      if (waits && !answer.headers["retry-after"]) {
        findings.add(`${answer.status} without Retry-After`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  over.abort();
  const { failed, ...reads } = await reading;
  for (const failure of failed) findings.add(`a read failed: ${failure}`);
  if (judged > 1 && reads.mostOvertaking > judged / 2) {
    findings.add(`a read waited for ${reads.mostOvertaking} of ${judged} logins`);
  }
  const refused = await reader.approve().then(
    () => null,
    (error: Error) => error.message,
  );
  if (refused !== null) findings.add(`a customer cannot log in after the flood: ${refused}`);
  reader.close();
  return { answers, reads, findings: [...findings] };
}

type Answer = { status: number; headers: http.IncomingHttpHeaders; body: string };

/** Opens the login page and sends its form. Returns null if the bank closed the connection. */
async function tryLogin({ publicUrl }: BankAddress, draw: Draw): Promise<Answer | null> {
  const localAddress = draw.pick(addresses);
  const url = `${publicUrl}/bank/login`;
  const page = await send(url, localAddress, {}).catch(() => null);
  if (page?.status !== 200) return page;
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? "";
  const cookie = (page.headers["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ");
  const login = `stranger-${draw.below(1e6)}`;
  const form = new URLSearchParams({ csrf, login, password: "wrong", decision: "continue" });
  return send(url, localAddress, { cookie, origin: new URL(url).origin }, form).catch(() => null);
}

function send(
  url: string,
  localAddress: string,
  headers: Record<string, string>,
  form?: URLSearchParams,
): Promise<Answer> {
  const type = form ? { "content-type": "application/x-www-form-urlencoded" } : {};
  return new Promise((resolve, reject) => {
    const method = form ? "POST" : "GET";
    const all = { accept: "text/html", ...type, ...headers };
    const options = { method, localAddress, agent: false, headers: all, timeout: patienceMs };
    const request = http.request(url.replace("localhost", "127.0.0.1"), options, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    request.on("timeout", () => request.destroy(new Error("no answer")));
    request.on("error", reject);
    request.end(form?.toString());
  });
}

/** Creates a TPP that creates and reads payment consents. The bank signs the responses. */
async function createReader(address: BankAddress) {
  const client = await registerTpp(address, {
    profile: "fapi1",
    tokenEndpointAuthMethod: "private_key_jwt",
    certificateBound: false,
  });
  const token = await client.clientToken("payments");
  const path = "/v4.0/pisp/domestic-payment-consents";
  const lodged = await client.call<{ Data: { ConsentId: string } }>({
    path,
    token,
    body: domesticConsent(),
  });
  const consentId = lodged.body.Data.ConsentId;
  return {
    async readUntil(signal: AbortSignal, judged: () => number) {
      const seen = { answered: 0, slowestMs: 0, mostOvertaking: 0, failed: [] as string[] };
      while (!signal.aborted) {
        const startedAt = performance.now();
        const judgedBefore = judged();
        const answer = await client
          .call({ path: `${path}/${consentId}`, token })
          .catch((error: Error) => error);
        if (answer instanceof Error) seen.failed.push(answer.message);
        else if (answer.status !== 200) seen.failed.push(`${answer.status} ${answer.raw}`);
        else seen.answered += 1;
        seen.mostOvertaking = Math.max(seen.mostOvertaking, judged() - judgedBefore);
        seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt);
        await delay(20);
      }
      return seen;
    },
    async approve(): Promise<void> {
      const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
      const request = { authorizationUrl, customer: "amara", decision: "approve" };
      await callControl(address, "POST", "/authorisations", request);
    },
    close: () => client.close(),
  };
}
