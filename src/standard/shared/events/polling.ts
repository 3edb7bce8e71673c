import Type, { type Static } from "typebox";
import { closed, open, text } from "#src/standard/shared/schema.ts";

const maps = <Value extends ReturnType<typeof open> | ReturnType<typeof Type.String>>(
  value: Value,
) => Type.Unsafe<Record<string, Static<Value>>>({ type: "object", additionalProperties: value });

/**
 * Body of `POST /events`: how many events to return, and which earlier events the TPP acknowledges
 * or refuses.
 */
export const pollRequest = closed(
  {
    maxEvents: Type.Optional(Type.Integer()),
    returnImmediately: Type.Optional(Type.Boolean()),
    ack: Type.Optional(Type.Array(text(128))),
    setErrs: Type.Optional(maps(open({ err: text(40), description: text(256) }))),
  },
  { title: "OBEventPolling1" },
);

/** A poll as a TPP sends it. */
export type Poll = Static<typeof pollRequest>;

/**
 * The codes of `err` that the standards define. TPPs may send other codes too. Source: EV-14.
 */
export const setErrorCodes: ReadonlySet<string> = new Set([
  ...["json", "jwtParse", "jwtHdr", "jwtCrypto", "jws", "jwe", "jwtAud", "jwtIss"],
  ...["setType", "setParse", "setData", "dup"],
  ...["invalid_request", "invalid_key", "invalid_issuer", "invalid_audience"],
  ...["authentication_failed", "access_denied"],
]);

/** Response of `POST /events`: signed events by their `jti`. */
export const pollResponse = closed(
  { moreAvailable: Type.Boolean(), sets: maps(Type.String()) },
  { title: "OBEventPollingResponse1" },
);
