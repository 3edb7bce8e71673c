import Type from "typebox";
import type { ErrorRules, ErrorTable, RefusalFacts } from "#src/standard/api-version.ts";
import { refusalCodes } from "#src/standard/error-codes.ts";
import {
  answeredStatuses,
  explainedStatuses,
  makeErrorTable,
} from "#src/standard/shared/error-table.ts";
import { closed, text } from "#src/standard/shared/schema.ts";

/** The body of refusals and of 500. Source: OBErrorResponse1: v4.0.1. */
const errorResponse = closed(
  {
    Id: Type.Optional(text(40)),
    Code: Type.Optional(text(40)),
    Message: Type.Optional(text(500)),
    Errors: Type.Array(
      closed(
        {
          ErrorCode: Type.String({ minLength: 4, maxLength: 4 }),
          Message: Type.Optional(text(500)),
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

/** The faults in the words of v4; denials of ours are AG08. Source: D-401-16, E-018. */
const table: ErrorTable = makeErrorTable((code, row) => {
  const { name, text: meaning } = row ?? refusalCodes.AG08;
  return { name, text: meaning, codeAt: () => (row ? code : "AG08") };
});

/**
 * Renders a refusal as an error body. `id` lets support find the request: an interaction id fits.
 * Every message starts with the code's long name. Source: D-401-15.
 */
function renderErrorResponse({ status, faults }: RefusalFacts, id: string): object {
  return {
    // a shortened id would not help, and the member is optional
    ...(id.length > 0 && id.length <= 40 ? { Id: id } : {}),
    Errors: faults.map(({ code, message, path, url }) => {
      const { name, text: meaning } = table[code];
      const codes: Readonly<Record<number, string>> = table[code].codes;
      return {
        ErrorCode: codes[status],
        Message: `${name} - ${message || meaning}`.slice(0, 500),
        ...(path ? { Path: path.slice(0, 500) } : {}),
        ...(url ? { Url: url } : {}),
      };
    }),
  };
}

/**
 * How every v4 API words refusals. An expired token's 401 has a body, which the published files do
 * not declare. Source: P-003, E-020.
 */
export const v4Errors: ErrorRules = {
  table,
  withBody: new Set([...answeredStatuses, 401]),
  declaredWithBody: explainedStatuses,
  schema: errorResponse,
  render: renderErrorResponse,
};
