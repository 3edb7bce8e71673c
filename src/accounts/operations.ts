import Type from "typebox";
import type { Config } from "#src/config/config.ts";
import { admitUnattended, type UnattendedAccess } from "#src/consents/unattended-access.ts";
import type { AccessSql } from "#src/http/access/access-row.ts";
import { ApiError, bareRefusal, type CodeFor, refusal } from "#src/http/api-error.ts";
import { chooseContentType } from "#src/http/headers/request-headers.ts";
import type {
  Operation,
  OperationReply,
  OperationRequest,
  OutgoingFile,
} from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { Database } from "#src/storage/database.ts";
import { accountAccessConsentOperations } from "./account-access-consents.ts";
import { type AccountVersion, accountVersions } from "./account-versions.ts";
import { accountNotAccessible, permissionMissing } from "./denials.ts";
import { checkAuthentication } from "./fresh-authentication.ts";
import { pageParameter } from "./page-cursor.ts";
import { renderPage } from "./page-reply.ts";
import { parsePageRequest } from "./page-request.ts";
import { compilePageStatement, type PageRow } from "./page-statement.ts";
import {
  type AccountEndpoint,
  type AccountFile,
  type AccountPart,
  type AccountResource,
  type FileSource,
  isOfOneAccount,
  isPermitted,
} from "./resource.ts";
import { accountEndpoints, accountResources, supportedPermissions } from "./resource-list.ts";
import { isAttended, secondsToNextDay } from "./unattended-limit.ts";

/** The dependencies of the account operations. */
export type AccountDeps = {
  database: Database;
  config: Pick<
    Config,
    | "ALDGATE_PROFILE"
    | "BANK_NAME"
    | "PAGE_SIZE"
    | "REAUTHENTICATION_DAYS"
    | "UNATTENDED_DAILY_LIMIT"
  >;
  /** The SQL of a token's row. */
  accessRow: AccessSql;
  /** The resources to serve; by default, every resource in every version. */
  resources?: readonly AccountResource[];
  versions?: readonly AccountVersion[];
};

/**
 * Every operation of each version: those of consents, and those compiled from the resources' rows.
 */
export function accountOperations(deps: AccountDeps): Operation[] {
  const { resources = accountResources, versions = accountVersions } = deps;
  const supported = supportedPermissions(resources);
  return versions.flatMap((version) => [
    ...accountAccessConsentOperations(version, deps, supported),
    ...accountEndpoints(version.id, resources).map((endpoint) =>
      operation(version.api, endpoint, deps),
    ),
  ]);
}

type Read = {
  resource: AccountEndpoint;
  database: Database;
  source: FileSource;
  reauthenticationDays: number;
  /** The limit for calls without the customer; 0 means unlimited. */
  unattendedPerDay: number;
  statement: ReturnType<typeof compilePageStatement>;
};

function operation(
  api: ApiVersion,
  resource: AccountEndpoint,
  { database, accessRow, config }: AccountDeps,
): Operation {
  const read: Read = {
    resource,
    database,
    source: {
      database,
      bankName: config.BANK_NAME,
      isSandbox: config.ALDGATE_PROFILE === "sandbox",
    },
    reauthenticationDays: config.REAUTHENTICATION_DAYS,
    unattendedPerDay: config.UNATTENDED_DAILY_LIMIT,
    statement: compilePageStatement(resource, { pageSize: config.PAGE_SIZE, accessRow }),
  };
  const invalidQuery: CodeFor<400>[] = [
    ...(resource.window?.parameters ? ["U003" as const] : []),
    ...(resource.paged ? ["U002" as const] : []),
  ];
  const denials: CodeFor<403>[] = [
    "PermissionMissing",
    ...(isOfOneAccount(resource) ? ["AccountNotAccessible" as const] : []),
    ...(resource.window ? ["U028" as const] : []),
  ];
  const unknownAccount: CodeFor<400>[] = isOfOneAccount(resource) ? ["U011"] : [];
  const contentTypes = resource.file?.contentTypes;
  const compiled: Operation = {
    api,
    operationId: resource.operationId,
    summary: resource.summary,
    tag: resource.tag,
    method: "GET",
    path: resource.path,
    grant: "authorization_code",
    access: "inline",
    signed: false,
    idempotent: false,
    request: null,
    query: describeQuery(resource),
    success: { status: 200, schema: resource.schema, ...(contentTypes ? { contentTypes } : {}) },
    refusals: { 400: [...unknownAccount, ...invalidQuery], 403: denials, 429: [] },
    handle: (request) => readPage(read, compiled, request),
  };
  return compiled;
}

function describeQuery({ window, paged }: AccountEndpoint): NonNullable<Operation["query"]> {
  const time = (which: string) => ({
    description: `${which} date and time to include, in UTC. A time zone offset is ignored.`,
    schema: Type.String(),
  });
  return {
    ...(window?.parameters
      ? { [window.parameters.from]: time("Earliest"), [window.parameters.to]: time("Latest") }
      : {}),
    ...(paged
      ? {
          [pageParameter]: {
            description: "The page to return. Copy the value from a link of another page.",
            schema: Type.String(),
          },
        }
      : {}),
  };
}

// The checks run in the order that docs/routes.md lists.
async function readPage(
  read: Read,
  operation: Operation,
  request: OperationRequest,
): Promise<OperationReply> {
  const { resource, database, reauthenticationDays, statement } = read;
  const { credentials, now, params } = request;
  const asked = parsePageRequest(resource, request.query);
  const { from, to, start } =
    asked instanceof ApiError ? { from: null, to: null, start: null } : asked;
  const wanted = !(asked instanceof ApiError);
  const accountId = takeId(params.AccountId);
  const partId = resource.part ? takeId(params[resource.part.parameter]) : null;
  const query = { credentials, accountId, partId, from, to, start, wanted, now };
  const [row] = await database.read<PageRow>(statement(query));
  const consent = present(request.admit(row).consent, "the consent of a customer");
  const page = present(row, "the row of an admitted caller");
  if (!isPermitted(resource.permissions, consent.permissions)) {
    throw permissionMissing(resource.permissions, consent.permissions);
  }
  if (!page.account_known) throw unknownAccountId();
  if (!page.account_readable) throw accountNotAccessible();
  if (!page.part_known) throw unknownPart(resource.part);
  if (asked instanceof ApiError) throw asked;
  checkAuthentication(resource, reauthenticationDays, { ...asked, now }, page, consent);
  // the later pages of a list count as one call with the first
  if (start === null && !isAttended(request)) {
    const { operationId } = operation;
    await countUnattended(read, { consentId: consent.consentId, operationId, accountId }, now);
  }
  if (resource.file) return sendFile(resource.file, read.source, request, page);
  return { status: 200, body: renderPage(resource, request, page, consent) };
}

// an existing part is one item
function sendFile(
  file: AccountFile,
  source: FileSource,
  { headers }: OperationRequest,
  { items }: PageRow,
): OperationReply {
  const contentType = chooseContentType(headers.accept as string | undefined, file.contentTypes);
  const item: unknown = JSON.parse(present(items, "the item that is sent as a file"));
  const body: OutgoingFile = file.open(source, item, contentType);
  return { status: 200, body };
}

// Our ids have only these characters; any other text is treated as an unknown id. Source: A-129.
const takeId = (text: string | undefined): string | null =>
  text !== undefined && /^[\w-]{1,40}$/.test(text) ? text : null;

const unknownAccountId = (): ApiError =>
  refusal("U011", "AccountId", "There is no account with this id.");

function unknownPart(part: AccountPart | undefined): ApiError {
  const { parameter, noun } = present(part, "a part that can be unknown");
  return refusal("U011", parameter, `The account has no ${noun} with this id.`);
}

async function countUnattended(
  { database, unattendedPerDay }: Read,
  access: UnattendedAccess,
  now: Temporal.Instant,
): Promise<void> {
  if (unattendedPerDay === 0) return;
  if (await admitUnattended(database, unattendedPerDay, access, now)) return;
  throw bareRefusal(429, { "retry-after": String(secondsToNextDay(now)) });
}
