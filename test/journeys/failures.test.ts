import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Operation } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Scope } from "#src/standard/api-version.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import type { Database } from "#src/storage/database.ts";
import { CardIssuer, named } from "#test/funds/card-issuer.ts";
import { copySeeded, expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { vrpConsent } from "#test/payments/limits/vrp-bed.ts";
import type { Resource } from "./payments.ts";

// Every operation of every API is called with each fault that does not depend on its resources. The
// client compares each response with the published file, which declares the operation's statuses.

const operations = listOperations(paymentKinds);

/** A request to an operation. */
type Sent = { method: string; headers: Record<string, string | null>; body: Buffer | undefined };
/** A way in which requests fail, and the response. */
type Failure = {
  /** How it is called. */
  name: string;
  concerns(operation: Operation): boolean;
  /** The grant and the scope of the token. By default, those that the operation needs. */
  token?(operation: Operation): { grant: Operation["grant"]; scope: Scope } | null;
  change?(sent: Sent): Sent;
  status: number;
  /** The error code in v4.0, if there is a body. */
  code?: FaultCode;
};

const otherGrant = {
  client_credentials: "authorization_code",
  authorization_code: "client_credentials",
} as const;
const scopes = ["accounts", "payments", "fundsconfirmations"] as const;
const always = () => true;
const hasJson = ({ request, upload }: Operation) => request !== null && !upload;
const withHeader =
  (name: string, value: string | null) =>
  (sent: Sent): Sent => ({ ...sent, headers: { ...sent.headers, [name]: value } });

const failures: readonly Failure[] = [
  { name: "without a token", concerns: always, token: () => null, status: 401 },
  ...([401, 403] as const).map((status) => ({
    name: "with a token of the other grant",
    concerns: ({ api }: Operation) => api.wrongGrant === status,
    token: ({ grant, api }: Operation) => ({
      grant: otherGrant[grant],
      scope: present(api.scopes[0], "a scope"),
    }),
    status,
    ...(status === 403 ? { code: "U006" as const } : {}),
  })),
  {
    name: "with a token of another scope",
    // every scope may call the operations of events
    concerns: ({ api }) => api.scopes.length === 1,
    token: ({ grant, api }) => ({
      grant,
      scope: present(
        scopes.find((scope) => !api.scopes.includes(scope)),
        "a scope",
      ),
    }),
    status: 403,
    code: "U006",
  },
  {
    name: "with a malformed date of authentication",
    concerns: always,
    change: withHeader("x-fapi-auth-date", "yesterday"),
    status: 400,
    code: "U006",
  },
  {
    name: "by a client that accepts only images",
    concerns: always,
    change: withHeader("accept", "image/png"),
    status: 406,
    code: "U006",
  },
  {
    name: "with a body of another media type",
    concerns: ({ request }) => request !== null,
    change: withHeader("content-type", "image/png"),
    status: 415,
    code: "U006",
  },
  {
    name: "with a body that is not JSON",
    concerns: hasJson,
    change: (sent) => ({ ...sent, body: Buffer.from("{") }),
    status: 400,
    code: "U010",
  },
  {
    name: "with a body that lacks every member",
    // every member of a poll is optional
    concerns: (operation) => hasJson(operation) && operation.operationId !== "CreateEvents",
    change: (sent) => ({ ...sent, body: Buffer.from("{}") }),
    status: 400,
    code: "U004",
  },
  {
    name: "without a signature",
    concerns: ({ signed, request }) => signed === true && request !== null,
    change: withHeader("x-jws-signature", null),
    status: 400,
    code: "U019",
  },
  {
    name: "without an idempotency key",
    concerns: ({ idempotent }) => idempotent,
    change: withHeader("x-idempotency-key", null),
    status: 400,
    code: "U007",
  },
  {
    name: "for an id that does not exist",
    concerns: ({ request, grant, refusals }) =>
      request === null &&
      grant === "client_credentials" &&
      refusals[400]?.includes("U011") === true,
    status: 400,
    code: "U011",
  },
  {
    name: "with a method that its path does not have",
    concerns: always,
    change: (sent) => ({ ...sent, method: "PATCH" }),
    status: 405,
    code: "U011",
  },
];

let isBroken = false;
// while the clock stands still, the rate limit of a TPP is not renewed
let stoppedAt: Temporal.Instant | null = null;
const clock = { now: () => stoppedAt ?? Temporal.Now.instant() };
let bank: TestBank;
let client: TppClient;
const tokens = new Map<string, string>();

before(async () => {
  const database = await copySeeded();
  // while it is broken, the database fails in a way that the bank does not expect
  const breakable = new Proxy(database, {
    get(target, name) {
      const member = target[name as keyof Database] as unknown;
      if (typeof member !== "function") return member;
      const isAsked = ["read", "readOnStandby", "query"].includes(String(name));
      if (isBroken && isAsked) return () => Promise.reject(new Error("broken"));
      return member.bind(target);
    },
  });
  bank = await openBank({ RATE_LIMIT_PER_SECOND: 400 }, breakable, paymentKinds, { clock });
  client = await bank.createTpp();
  const [account] = await bank.currentAccounts("amara");
  for (const scope of scopes) {
    const own = await client.clientToken(scope);
    tokens.set(`client_credentials ${scope}`, own);
    const consentId = await lodgers[scope](own, named(account?.identification ?? null));
    const accounts = scope === "fundsconfirmations" ? [] : [present(account, "one").accountId];
    const given = { scope, consentId, customer: "amara", accounts };
    const { access_token } = await bank.approve(client, given);
    tokens.set(`authorization_code ${scope}`, access_token);
  }
});
after(() => bank?.close());

// consents of v3.1, whose tokens v4.0 accepts too
const lodgers: Record<Scope, (token: string, account: object) => Promise<string>> = {
  accounts: (token) =>
    lodge("/v3.1/aisp/account-access-consents", token, {
      Data: { Permissions: ["ReadAccountsBasic"] },
      Risk: {},
    }),
  payments: (token) => lodge("/v3.1/pisp/domestic-vrp-consents", token, vrpConsent()),
  fundsconfirmations: (_token, account) =>
    new CardIssuer(bank, client, "/v3.1/cbpii").consentId(account),
};

async function lodge(path: string, token: string, body: object): Promise<string> {
  const lodged = await client.call<Resource>({ path, token, body });
  expectStatus(lodged, 201);
  return String(lodged.body.Data.ConsentId);
}

/** Calls an operation with a failure, or with a well-formed request if none is given. */
async function call(operation: Operation, failure?: Failure): Promise<Answer> {
  const { api, path, method, request, signed, idempotent, grant, upload } = operation;
  const wanted = failure?.token
    ? failure.token(operation)
    : { grant, scope: present(api.scopes[0], "a scope") };
  const token = wanted && tokens.get(`${wanted.grant} ${wanted.scope}`);
  const unsent: Sent = {
    method,
    body: request ? Buffer.from("{}") : undefined,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(request ? { "content-type": upload?.contentTypes[0] ?? "application/json" } : {}),
      ...(idempotent ? { "x-idempotency-key": crypto.randomUUID() } : {}),
    },
  };
  const sent = failure?.change?.(unsent) ?? unsent;
  if (signed && sent.body && sent.headers["x-jws-signature"] === undefined) {
    sent.headers["x-jws-signature"] = await client.signature(sent.body);
  }
  const url = `${bank.mtlsUrl}${api.basePath}${path.replaceAll(/:\w+/g, "none")}`;
  return client.send(url, sent.method, sent.body, sent.headers);
}

type Faults = { Errors?: { ErrorCode: string }[] };

for (const [id, own] of Map.groupBy(operations, ({ api }) => api.id)) {
  describe(id, () => {
    for (const failure of failures) {
      const concerned = own.filter(failure.concerns);
      if (concerned.length === 0) continue;
      test(`every operation that is called ${failure.name} is ${failure.status}`, async () => {
        for (const operation of concerned) {
          const answer = await call(operation, failure);
          const { method, path, api } = operation;
          assert.equal(answer.status, failure.status, `${method} ${path}: ${answer.raw}`);
          if (failure.status === 405) assert.ok(answer.headers.allow?.includes(method));
          if (failure.code === undefined || !api.errors.withBody.has(failure.status)) continue;
          const [fault] = (answer.body as Faults).Errors ?? [];
          const codes: Readonly<Record<number, string>> = api.errors.table[failure.code].codes;
          assert.equal(fault?.ErrorCode, codes[failure.status], `${method} ${path}`);
        }
      });
    }

    test("every operation is 429 after too many requests, and says when to try again", async () => {
      stoppedAt = clock.now();
      try {
        const first = present(own[0], "an operation");
        while ((await call(first)).status !== 429);
        for (const operation of own) {
          const { status, headers } = await call(operation);
          const at = `${operation.method} ${operation.path}`;
          assert.deepEqual([status, headers["retry-after"]], [429, "1"], at);
        }
      } finally {
        stoppedAt = null;
      }
    });

    test("every operation is 500 if the bank fails", async () => {
      isBroken = true;
      try {
        for (const operation of own) {
          const answer = await call(operation);
          const at = `${operation.method} ${operation.path}`;
          assert.equal(answer.status, 500, at);
          const [fault] = (answer.body as Faults).Errors ?? [];
          assert.equal(fault?.ErrorCode, operation.api.errors.table.U000.codes[500], at);
        }
      } finally {
        isBroken = false;
      }
    });
  });
}
