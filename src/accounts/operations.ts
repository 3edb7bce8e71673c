import Type from "typebox";
import { valueFor } from "#src/config/value-for.ts";
import { accessConsentOperations } from "#src/consents/access-consents.ts";
import { ApiError, type CodeFor } from "#src/http/api-error.ts";
import {
  type ArrivedRequest,
  defineOperation,
  type Operation,
  type OperationReply,
  type OperationRequest,
} from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { AccountDeps } from "./account-deps.ts";
import {
  accountEndpoints,
  accountResources,
  offeredResources,
  supportedPermissions,
} from "./account-resources.ts";
import { accountVersions } from "./account-versions.ts";
import { accountAccessConsents } from "./consent/account-access-consents.ts";
import { pageParameter, parsePageRequest, renderPage } from "./reading/page.ts";
import { compilePageStatement, type PageRow } from "./reading/page-statement.ts";
import { type ReadRules, type ReadState, readSteps } from "./reading/read-steps.ts";
import {
  type AccountEndpoint,
  type AccountFile,
  type FileSource,
  isOfOneAccount,
} from "./resource.ts";

// Account information. resource.ts defines a resource: one source of facts, and a view for each API
// version. resources/ has a row per resource, and versions/ the views, which use views/ and
// statement-file/. consent/ has the consents, and reading/ answers the requests for data. This file
// compiles the operations from all of these.

/**
 * Every operation of each version: those of consents, and those compiled from the rows of the
 * resources that the bank has.
 */
export function accountOperations(deps: AccountDeps): Operation[] {
  const { versions = accountVersions } = deps;
  const resources = offeredResources(deps.bank, deps.resources ?? accountResources);
  const supported = supportedPermissions(resources);
  return versions.flatMap((version) => [
    ...accessConsentOperations(accountAccessConsents(version, supported, deps.config), deps),
    ...accountEndpoints(version.id, resources).map((endpoint) =>
      operation(version.api, endpoint, deps),
    ),
  ]);
}

type Read = {
  rules: ReadRules;
  steps: ReturnType<typeof readSteps.of>;
  source: FileSource;
  statement: ReturnType<typeof compilePageStatement>;
};

function operation(
  api: ApiVersion,
  resource: AccountEndpoint,
  { database, bank, accessRow, config }: AccountDeps,
): Operation {
  const maxAge = valueFor(resource.cluster, config.FACTS_MAX_AGE_SECONDS);
  const rules: ReadRules = {
    endpoint: resource,
    database,
    reauthenticationDays: config.REAUTHENTICATION_DAYS,
    unattendedPerDay: config.UNATTENDED_DAILY_LIMIT,
    maxAgeSeconds: maxAge === undefined ? null : Number(maxAge),
  };
  const read: Read = {
    rules,
    steps: readSteps.of(rules),
    source: { database, bank },
    statement: compilePageStatement(resource, {
      pageSize: config.PAGE_SIZE,
      accessRow,
      maxAgeSeconds: rules.maxAgeSeconds,
    }),
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
  const contentTypes = resource.file?.contentTypes(read.source);
  return defineOperation({
    api,
    operationId: resource.operationId,
    summary: resource.summary,
    tag: resource.tag,
    method: "GET",
    path: resource.path,
    grant: "authorization_code",
    signed: false,
    idempotent: false,
    request: null,
    query: describeQuery(resource),
    success: { status: 200, schema: resource.schema, ...(contentTypes ? { contentTypes } : {}) },
    refusals: { 400: [...unknownAccount, ...invalidQuery], 403: denials, 429: [] },
    steps: read.steps.names,
    load: (request) => loadPage(read, request),
    readsOnStandby: true,
    handle: (request) => readPage(read, request),
  });
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

const noWindow = { from: null, to: null, start: null };

// The statement reads before anything is checked, and gives no item to a caller who is refused.
function loadPage({ rules: { endpoint }, statement }: Read, request: ArrivedRequest) {
  const { credentials, now, params } = request;
  const asked = parsePageRequest(endpoint, request.query);
  const wanted = !(asked instanceof ApiError);
  const window = wanted ? asked : noWindow;
  const accountId = takeId(params.AccountId);
  const partId = endpoint.part ? takeId(params[endpoint.part.parameter]) : null;
  return {
    statement: statement({ credentials, accountId, partId, ...window, wanted, now }),
    read: (page: PageRow) => ({ page, asked, window, accountId }),
  };
}

type LoadedPage = Pick<ReadState, "page" | "asked" | "window" | "accountId">;

async function readPage(
  { rules, steps, source }: Read,
  request: OperationRequest<LoadedPage>,
): Promise<OperationReply> {
  const { endpoint } = rules;
  const { page, window } = request.loaded;
  const consent = present(request.access.consent, "the consent of a customer");
  const state: ReadState = { rules, request, consent, ...request.loaded };
  await steps.run(state, request.passed);
  if (endpoint.file) return sendFile(endpoint.file, source, request, page);
  return { status: 200, body: renderPage(endpoint, request, page, consent, window.start) };
}

// an existing part is one item
async function sendFile(
  file: AccountFile,
  source: FileSource,
  { headers }: OperationRequest,
  { items }: PageRow,
): Promise<OperationReply> {
  const item: unknown = JSON.parse(present(items, "the item that is sent as a file"));
  return { status: 200, body: await file.open(source, item, headers.accept as string | undefined) };
}

// Our ids have only these characters; any other text is treated as an unknown id. Source: A-129.
const takeId = (text: string | undefined): string | null =>
  text !== undefined && /^[\w-]{1,40}$/.test(text) ? text : null;
