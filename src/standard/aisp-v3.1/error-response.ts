import Type from "typebox";
import { httpStatusNames } from "#src/standard/shared/http-status-names.ts";
import { closed, namespaced, text } from "#src/standard/shared/schema.ts";
import { errorName, publishedErrorNames } from "./error-codes.ts";

/** The body of refusals that explain themselves, and of 500. Source: OBErrorResponse1, A-030. */
export const errorResponse = closed(
  {
    Code: text(40),
    Id: Type.Optional(text(40)),
    Message: text(500),
    Errors: Type.Array(
      closed(
        {
          ErrorCode: namespaced(publishedErrorNames),
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

/** What is told of one fault; `code` is a key of `errorNames`. */
export type RenderedFault = { code: string; message: string; path?: string; url?: string };

/** Status and name in one word, as the standard's samples have it: `400 BadRequest`. */
export const statusCode = (status: number): string =>
  `${status} ${(httpStatusNames[status] ?? "").replaceAll(" ", "")}`.trim();

const summary = (status: number): string => {
  if (status >= 500) return "The request could not be served";
  return status === 403 ? "The request is not allowed" : "Request is not valid";
};

/**
 * Renders faults as an error body, null when there is none to tell. `id` lets support find the
 * request: an interaction id fits.
 */
export function renderErrorResponse(
  status: number,
  faults: readonly RenderedFault[],
  id: string,
): object | null {
  if (faults.length === 0) return null;
  return {
    Code: statusCode(status),
    // an id that is too long is no help cut off, and optional
    ...(id.length > 0 && id.length <= 40 ? { Id: id } : {}),
    Message: summary(status),
    Errors: faults.map(({ code, message, path, url }) => ({
      ErrorCode: errorName(code),
      Message: (message || errorName(code)).slice(0, 500),
      ...(path ? { Path: path.slice(0, 500) } : {}),
      ...(url ? { Url: url } : {}),
    })),
  };
}
