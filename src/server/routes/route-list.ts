import { checkNamesOf } from "#src/http/admit.ts";
import type { Operation } from "#src/http/operation.ts";
import { registrationOperations } from "#src/registration/routes.ts";

/** `/api/open-banking/v3.1/aisp/accounts/{AccountId}` */
const pathOf = ({ api, path }: Operation): string => `${api.basePath}${inBraces(path)}`;
const inBraces = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

/** One line per operation; with `steps`, the checks of its requests follow each line. */
export const describeRoutes = (
  operations: readonly Operation[],
  options: { steps: boolean },
): string[] =>
  operations.flatMap((operation) => {
    const { method, api, grant, operationId, signed, idempotent } = operation;
    const properties = [
      grant,
      ...(signed ? ["signed"] : []),
      ...(idempotent ? ["idempotent"] : []),
    ].join(", ");
    const line = `${method.padEnd(6)} ${pathOf(operation)}  ${api.id}  ${operationId}  ${properties}`;
    return options.steps ? [line, `       ${checkNamesOf(operation).join(" > ")}`] : [line];
  });

/** The same of the registration of clients. */
export const describeRegistration = (options: { steps: boolean }): string[] =>
  registrationOperations.flatMap(({ method, url, operationId, steps }) => {
    const line = `${method.padEnd(6)} ${inBraces(url)}  registration  ${operationId}`;
    return options.steps ? [line, `       ${steps.join(" > ")}`] : [line];
  });

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
