// K1, continued: whether the core knows who calls.
import { callRows, otherRows } from "#src/connector/operations.ts";
import { expectSame, expectThat, NotAsked } from "./expect.ts";
import { has } from "./has-call.ts";
import type { Kit } from "./kit.ts";
import type { KitCase } from "./kit-case.ts";

const rule =
  "A core answers only Aldgate. It checks each proof of it that is set: the certificate " +
  "(BANK_CERTIFICATE), the signature (BANK_SIGNING_KEY), or both.";

const callMs = 20_000;

/** A request that only Aldgate may make. */
type Closed = { method: "GET" | "POST"; path: string; body: Buffer | null };
type Change = Pick<Parameters<Kit["client"]["send"]>[0], "headers" | "isAnonymous">;

/** One with a body, and the one for account data if the core has it. */
function requestsOf(kit: Kit): Closed[] {
  const { path } = callRows.loadAccount;
  const body = Buffer.from(JSON.stringify({ accountId: kit.idOf("own") }));
  const { method, path: changes } = otherRows.readChanges;
  return [
    { method: "POST", path, body },
    ...(has(kit.about, "readChanges") ? [{ method, path: `${changes}?limit=1`, body: null }] : []),
  ];
}

/** Makes each request as Aldgate does, then in another way, which must fail. */
async function expectClosed(
  kit: Kit,
  change: (request: Closed) => Promise<Change>,
  requests = requestsOf(kit),
): Promise<void> {
  for (const request of requests) {
    const { method, path } = request;
    const body = request.body?.toString() ?? null;
    const sent = { method, path, body, deadlineMs: callMs };
    const right = await kit.client.send(sent);
    expectSame(right.status, 200, `the status of ${method} ${path} as Aldgate calls it`);
    const { status } = await kit.client.send({ ...sent, ...(await change(request)) });
    // a server may end the connection without an answer
    const isClosed = status === null || status >= 400;
    expectThat(isClosed, `no answer to ${method} ${path}, or a status from 400 on`, `${status}`);
  }
}

const signerOf = ({ client }: Kit) => {
  if (client.sign === null) throw new NotAsked("BANK_SIGNING_KEY is not set");
  return client.sign;
};

/** The signature with some other bytes, as if somebody else had signed. */
function altered(signature: string): string {
  const [header, claims, bytes = ""] = signature.split(".");
  const signed = Buffer.from(bytes, "base64url").map((byte) => byte ^ 1);
  return `${header}.${claims}.${Buffer.from(signed).toString("base64url")}`;
}

const signed = (signature: string) => ({ headers: { "aldgate-signature": signature } });

/** The part of K1 about who calls. */
export const callerCases: readonly KitCase[] = [
  {
    id: "K1-16",
    title: "a call without the client certificate fails",
    calls: ["loadAccount"],
    rule,
    async run(kit) {
      if (!kit.client.hasCertificate) throw new NotAsked("BANK_CERTIFICATE is not set");
      await expectClosed(kit, async () => ({ isAnonymous: true }));
    },
  },
  {
    id: "K1-17",
    title: "a call without Aldgate-Signature fails",
    calls: ["loadAccount"],
    rule,
    async run(kit) {
      signerOf(kit);
      await expectClosed(kit, async () => ({ headers: { "aldgate-signature": undefined } }));
    },
  },
  {
    id: "K1-18",
    title: "a call with the signature of another body or path fails",
    calls: ["loadAccount"],
    rule,
    async run(kit) {
      const sign = signerOf(kit);
      const other = Buffer.from(JSON.stringify({ accountId: kit.idOf("other") }));
      const withBody = requestsOf(kit).filter(({ body }) => body !== null);
      await expectClosed(kit, async (one) => signed(await sign({ ...one, body: other })), withBody);
      await expectClosed(kit, async (one) => signed(await sign({ ...one, path: "/about" })));
    },
  },
  {
    id: "K1-19",
    title: "a call with a signature by somebody else fails",
    calls: ["loadAccount"],
    rule,
    async run(kit) {
      const sign = signerOf(kit);
      await expectClosed(kit, async (one) => signed(altered(await sign(one))));
    },
  },
];
