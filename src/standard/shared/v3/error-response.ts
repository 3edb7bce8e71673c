import Type from "typebox";
import type { ErrorRules, RefusalFacts } from "#src/standard/api-version.ts";
import { answeredStatuses, explainedStatuses } from "#src/standard/shared/error-table.ts";
import { httpStatusNames } from "#src/standard/shared/http-status-names.ts";
import { closed, namespaced, text } from "#src/standard/shared/schema.ts";
import { allErrorNames, errorTable, publishedErrorNames } from "./error-codes.ts";

/**
 * The body of 500, and of refusals that have a body, with the error names that an API lists.
 * Source: OBErrorResponse1, A-030.
 */
const errorResponse = (names: readonly string[]) =>
  closed(
    {
      Code: text(40),
      Id: Type.Optional(text(40)),
      Message: text(500),
      Errors: Type.Array(
        closed(
          {
            ErrorCode: namespaced(names),
            Message: text(500),
            Path: Type.Optional(text(500)),
            Url: Type.Optional(Type.String()),
          },
          { title: "OBError1", minProperties: 1 },
        ),
        { minItems: 1 },
      ),
    },
    { title: "OBErrorResponse1" },
  );

/** The status and its name without spaces, as in the standard's samples: `400 BadRequest`. */
const statusCode = (status: number): string =>
  `${status} ${(httpStatusNames[status] ?? "").replaceAll(" ", "")}`.trim();

const summary = (status: number): string => {
  if (status >= 500) return "The request could not be served";
  return status === 403 ? "The request is not allowed" : "Request is not valid";
};

/** Renders a refusal as an error body. `id` lets support find the request: its interaction id. */
function renderErrorResponse({ status, faults }: RefusalFacts, id: string): object {
  return {
    Code: statusCode(status),
    // a shortened id would not help, and the member is optional
    ...(id.length > 0 && id.length <= 40 ? { Id: id } : {}),
    Message: summary(status),
    Errors: faults.map(({ code, message, path, url }) => {
      const codes: Readonly<Record<number, string>> = errorTable[code].codes;
      return {
        ErrorCode: codes[status],
        Message: (message || errorTable[code].text).slice(0, 500),
        ...(path ? { Path: path.slice(0, 500) } : {}),
        ...(url ? { Url: url } : {}),
      };
    }),
  };
}

/** The error rules of every v3.1 API. A 401 has no body. */
export const v3Errors: ErrorRules = {
  table: errorTable,
  withBody: answeredStatuses,
  declaredWithBody: explainedStatuses,
  schema: errorResponse(publishedErrorNames),
  render: renderErrorResponse,
};

/** The same in Payment Initiation, whose published file lists more names. */
export const v3PaymentErrors: ErrorRules = { ...v3Errors, schema: errorResponse(allErrorNames) };
