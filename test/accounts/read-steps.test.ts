// The checks are made in the order that `./aldgate routes --steps` prints.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accountEndpoints, supportedPermissions } from "#src/accounts/account-resources.ts";
import { type AccountEndpoint, isOfOneAccount } from "#src/accounts/resource.ts";
import { present } from "#src/lib/assert.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { describeRoutes } from "#src/server/routes/route-list.ts";
import { sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { copySeeded } from "#test/harness.ts";
import { customerIdOf } from "#test/sandbox/stored-customers.ts";
import { AccountsBank, type Answer } from "./fixture.ts";
import { type TestedVersion, versions } from "./versions.ts";

let opened: AccountsBank;
let customerId: string;
let accountId: string;
let statementId: string;

before(async () => {
  opened = await AccountsBank.over(await copySeeded(), { unattended: 1, reauthenticationDays: 1 });
  // two years after the personas' last transactions, so every window includes old data
  opened.now = Temporal.Now.instant().add({ hours: 24 * 730 });
  customerId = await customerIdOf(opened.database, "amara");
  const [held] = await opened.database.query<{ accountId: string }>(sql`
    select account_id as "accountId" from account_holder join account using (account_id)
    where customer_id = ${customerId} and account_sub_type = 'CurrentAccount'`);
  ({ accountId } = present(held, "amara's account"));
  const { token } = await grant("aisp-v3.1", [...supportedPermissions()]);
  const { body } = await opened.get(`/accounts/${accountId}/statements`, token);
  statementId = body.Data.Statement[0].StatementId;
});
after(() => opened.close());

const grant = (id: TestedVersion["id"], permissions: string[]) =>
  opened.through(id).addConsent({ customerId, accountIds: [accountId], permissions });

/** Whether a request has the fault that a step checks for. */
type Wrong = (step: string) => boolean;

/** The tokens for requests to one endpoint, by the first step that refuses them. */
async function tokensFor({ id }: TestedVersion): Promise<Record<string, string>> {
  const scope = "openid payments";
  const newer = await grant("aisp-v4.0", []);
  const poor = await grant(id, []);
  const whole = await grant(id, [...supportedPermissions()]);
  return {
    token: "unknown",
    grant: await opened.clientToken("tpp-1", "payments"),
    scope: await opened.addToken("authorization_code", "tpp-1", scope, newer.grantId),
    "consent-version": newer.token,
    permission: poor.token,
    none: whole.token,
  };
}

function requestOf(endpoint: AccountEndpoint, isWrong: Wrong) {
  const { window, paged } = endpoint;
  const path = endpoint.path
    .replace(":AccountId", isWrong("account") ? "acc-none" : accountId)
    .replace(":StatementId", isWrong("part") ? "none" : statementId);
  const wrongQuery = [
    ...(window?.parameters ? [`${window.parameters.from}=never`] : []),
    ...(paged ? ["pg=never"] : []),
  ];
  const headers = {
    ...(isWrong("accept") ? { accept: "image/png" } : {}),
    ...(isWrong("interaction-id") ? { "x-fapi-interaction-id": "a".repeat(200) } : {}),
    ...(isWrong("auth-date") ? { "x-fapi-auth-date": "never" } : {}),
    ...(isWrong("unattended-limit") ? {} : { "x-fapi-customer-ip-address": "203.0.113.7" }),
  };
  const hasQuery = isWrong("query") && wrongQuery.length > 0;
  return { path: hasQuery ? `${path}?${wrongQuery.join("&")}` : path, headers };
}

/** Returns the step that refused a request, judging by the response; `none` if it has data. */
function refusedBy({ status, body, headers }: Answer, { id }: TestedVersion): string {
  const [fault] = body?.Errors ?? [];
  const challenge = String(headers["www-authenticate"] ?? "");
  if (status === 401) return challenge.includes("grant") ? "grant" : "token";
  if (status === 406) return "accept";
  if (status === 429) return "unattended-limit";
  const byPath: Record<string, string> = {
    Authorization: challenge.includes("insufficient_scope") ? "scope" : "consent-version",
    "x-fapi-interaction-id": "interaction-id",
    "x-fapi-auth-date": "auth-date",
    "Data.Permissions": "permission",
    AccountId: "account",
    StatementId: "part",
  };
  if (status === 200) return "none";
  if (fault.Path === undefined) {
    const reauthenticate = id === "aisp-v4.0" ? "U028" : "UK.OBIE.Reauthenticate";
    return fault.ErrorCode === reauthenticate ? "authentication" : fault.ErrorCode;
  }
  return byPath[fault.Path] ?? "query";
}

/** The printed steps of every read, by method, path and version. */
function printed(): Map<string, string[]> {
  const lines = describeRoutes(listOperations([]), { steps: true });
  return new Map(
    lines.flatMap((line, index) =>
      line.startsWith("GET")
        ? [[line.split(/\s+/)[1] ?? "", lines[index + 1]?.trim().split(" > ") ?? []]]
        : [],
    ),
  );
}

// this bank has no rate limit, and an endpoint does not have every step
const everyStep = (endpoint: AccountEndpoint): string[] => [
  ...["token", "grant", "scope", "consent-version", "accept", "interaction-id", "auth-date"],
  "permission",
  ...(isOfOneAccount(endpoint) ? ["account"] : []),
  ...(endpoint.part ? ["part"] : []),
  ...(endpoint.window?.parameters || endpoint.paged ? ["query"] : []),
  ...(endpoint.window ? ["authentication"] : []),
  "unattended-limit",
];

const steps = printed();

for (const version of versions) {
  describe(`${version.id}: the printed order of checks`, () => {
    let tokens: Record<string, string>;
    before(async () => {
      tokens = await tokensFor(version);
    });

    for (const endpoint of accountEndpoints(version.id)) {
      test(`A-121: the checks of each endpoint are made in the printed order (${endpoint.path})`, async () => {
        const bank = opened.through(version.id);
        const path = version.basePath + endpoint.path.replace(/:(\w+)/g, "{$1}");
        const order = present(steps.get(path), path).filter((step) => step !== "rate-limit");
        assert.deepEqual([...order].sort(), everyStep(endpoint).sort());
        const authenticated = (at: Temporal.Instant | null) =>
          setConsent(bank.database, "all", { authenticatedAt: at });
        const send = async (isWrong: Wrong) => {
          const name = Object.keys(tokens).find((step) => step === "none" || isWrong(step));
          const { path: to, headers } = requestOf(endpoint, isWrong);
          await authenticated(isWrong("authentication") ? null : bank.now);
          return refusedBy(await bank.get(to, tokens[name ?? "none"] ?? "", headers), version);
        };
        assert.equal(await send((step) => step === "unattended-limit"), "none", "the first call");
        // v4.0 serves consents of both versions
        const refusing = order.filter(
          (step) => step !== "consent-version" || version.id === "aisp-v3.1",
        );
        const seen: string[] = [];
        for (const [place] of refusing.entries()) {
          const wrong = refusing.slice(place);
          seen.push(await send((step) => wrong.includes(step)));
        }
        assert.deepEqual(seen, refusing);
        assert.equal(await send(() => false), "none");
      });
    }
  });
}
