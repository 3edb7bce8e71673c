import { checkNamesOf } from "#src/http/admit.ts";
import type { Operation } from "#src/http/operation.ts";
import { registrationOperations } from "#src/registration/routes.ts";

/** `/api/open-banking/v3.1/aisp/accounts/{AccountId}` */
const pathOf = ({ api, path }: Operation): string => `${api.basePath}${inBraces(path)}`;
const inBraces = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

/** An operation for people and programs. */
type ListedRoute = {
  method: string;
  path: string;
  /** The id of the API version, or `registration`. */
  api: string;
  operationId: string;
  /** The type of access token; null for an operation without one. */
  grant: string | null;
  signed: boolean | string;
  idempotent: boolean;
  /** The checks of its requests, in order. */
  checks: string[];
};

/** The operations of the APIs, then those of the registration of clients. */
export const listRoutes = (operations: readonly Operation[]): ListedRoute[] => [
  ...operations.map(routeOf),
  ...registrationRoutes,
];

function routeOf(operation: Operation): ListedRoute {
  const { method, api, grant, operationId, signed, idempotent } = operation;
  const checks = [...checkNamesOf(operation)];
  const path = pathOf(operation);
  return { method, path, api: api.id, operationId, grant, signed, idempotent, checks };
}

const registrationRoutes: readonly ListedRoute[] = registrationOperations.map(
  ({ method, url, operationId, steps }) => ({
    method,
    path: inBraces(url),
    api: "registration",
    operationId,
    grant: null,
    signed: false,
    idempotent: false,
    checks: [...steps],
  }),
);

/** One line per operation; with `steps`, the checks of its requests follow each line. */
export const describeRoutes = (
  operations: readonly Operation[],
  options: { steps: boolean },
): string[] => operations.flatMap((operation) => linesOf(routeOf(operation), options));

/** The same of the registration of clients. */
export const describeRegistration = (options: { steps: boolean }): string[] =>
  registrationRoutes.flatMap((route) => linesOf(route, options));

function linesOf(route: ListedRoute, options: { steps: boolean }): string[] {
  const { method, path, api, operationId, grant, signed, idempotent, checks } = route;
  const properties = [
    ...(grant === null ? [] : [grant]),
    ...(signed ? ["signed"] : []),
    ...(idempotent ? ["idempotent"] : []),
  ].join(", ");
  const line = `${method.padEnd(6)} ${path}  ${api}  ${operationId}  ${properties}`.trimEnd();
  return options.steps ? [line, `       ${checks.join(" > ")}`] : [line];
}

/** The page of all routes and of the order of their checks: `docs/routes.md`. */
export function renderRoutes(operations: readonly Operation[]): string {
  const versions = [...new Set(operations.map(({ api }) => api))];
  return [
    "# Routes",
    "",
    "This page lists every operation of the APIs. *Grant* is the type of access token that the operation",
    "needs. *Signed* and *Idempotent* say whether messages have a signature, and whether the request has",
    "an idempotency key. If *Signed* is `if sent`, the response to a signed request is signed. *Checks*",
    "refers to a numbered list below the table, which gives the checks of a request in order. The first",
    "check that fails determines the response.",
    "",
    "`npm run routes` writes this page.",
    ...versions.flatMap((version) => {
      const own = operations.filter(({ api }) => api === version);
      return [
        "",
        `## ${version.title} ${version.release} (\`${version.id}\`)`,
        "",
        `All paths are below \`${version.basePath}\`.`,
        "",
        "| Method | Path | Operation | Grant | Signed | Idempotent | Checks |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        ...own.map(rowOf(stepLists(own))),
        "",
        ...stepLists(own).map((steps, index) => `${index + 1}. ${steps}`),
      ];
    }),
    "",
    "## Registration of clients",
    "",
    "[Registration](registration.md) explains the checks. The bank needs an issuer of software statements.",
    "",
    "| Operation | Method | Path | Checks |",
    "| --- | --- | --- | --- |",
    ...registrationOperations.map(
      ({ operationId, method, url, steps }) =>
        `| \`${operationId}\` | ${method} | \`${inBraces(url)}\` | ${steps.join(", ")} |`,
    ),
  ].join("\n");
}

const stepLists = (operations: readonly Operation[]): string[] => [
  ...new Set(operations.map((operation) => checkNamesOf(operation).join(", "))),
];

const rowOf = (lists: readonly string[]) => (operation: Operation) => {
  const { method, path, operationId, grant, signed, idempotent } = operation;
  const yes = (value: boolean) => (value ? "yes" : "");
  const cells = [
    method,
    `\`${inBraces(path)}\``,
    `\`${operationId}\``,
    `\`${grant}\``,
    typeof signed === "string" ? `\`${signed}\`` : yes(signed),
    yes(idempotent),
    // lists are long and many operations share them, so a row gives the number of its list
    String(lists.indexOf(checkNamesOf(operation).join(", ")) + 1),
  ];
  return `| ${cells.join(" | ")} |`;
};
