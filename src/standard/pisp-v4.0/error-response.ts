import Type from "typebox";
import { closed, text } from "#src/standard/shared/schema.ts";
import { errorCodes } from "./error-codes.ts";

/** The body of refusals and of 500. Source: OBErrorResponse1, digest 2.25. */
export const errorResponse = closed(
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

/** What is told of one fault; `code` is a key of `errorCodes`. */
export type RenderedFault = { code: string; message: string; path?: string; url?: string };

/**
 * Renders faults as an error body, null when there is none to tell. `id` lets support find the
 * request: an interaction id fits. Every message starts with the code's long name.
 * Source: D-401-15.
 */
export function renderErrorResponse(faults: readonly RenderedFault[], id: string): object | null {
  if (faults.length === 0) return null;
  return {
    // an id that is too long is no help cut off, and optional
    ...(id.length > 0 && id.length <= 40 ? { Id: id } : {}),
    Errors: faults.map(({ code, message, path, url }) => {
      const { name = code, text: meaning = "" } = errorCodes[code] ?? {};
      return {
        ErrorCode: code,
        Message: `${name} - ${message || meaning}`.slice(0, 500),
        ...(path ? { Path: path.slice(0, 500) } : {}),
        ...(url ? { Url: url } : {}),
      };
    }),
  };
}
