import { isIP } from "node:net";
import { ApiError, type Fault } from "#src/http/api-error.ts";
import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import { type AddressGuard, addressOf, isLoopbackHost } from "#src/http/outgoing/address-guard.ts";
import { eventTypes, findEventType } from "#src/standard/shared/events/event-types.ts";
import {
  callbackPath,
  eventVersions,
  newestEventVersion,
  registeredVersion,
} from "./event-versions.ts";
import { allEventNames, type ChosenRegistration } from "./registration.ts";
import type { FormRow } from "./registration-forms.ts";

/** The rules that registrations are checked against. */
export type RegistrationRules = {
  /** Decides which addresses a callback URL may have. */
  guard: AddressGuard;
};

const versionForm = /^[34]\.\d{1,2}(\.\d{1,2})?$/;
const urlEnd = /\/open-banking\/v\d+\.\d+(\.\d+)?\/event-notifications$/;

/** Reads the body of a registration. Throws an ApiError with all faults. Source: EV-03, EV-26. */
export function readRegistration(
  row: FormRow,
  schema: CompiledSchema,
  body: unknown,
  rules: RegistrationRules,
): ChosenRegistration {
  const faults = judge(schema, body);
  if (faults.length > 0) throw new ApiError(400, faults);
  const { url, version, types } = row.read((body as { Data: unknown }).Data);
  const found = types?.map(findEventType) ?? [];
  faults.push(
    ...(url === undefined ? [] : checkUrl(url, row.urlPath, rules)),
    ...(versionForm.test(version) ? [] : [unknownVersion]),
    ...found.flatMap((type, index) => (type ? [] : [unknownType(index)])),
  );
  if (faults.length > 0) throw new ApiError(400, faults);
  const names = allEventNames.filter((name) => found.some((type) => type?.name === name));
  return {
    callbackUrl: url ?? null,
    version,
    namedTypes: row.form === "callback" || types === undefined ? null : [...types],
    eventTypes: names.length === 0 ? [...allEventNames] : names,
  };
}

const unknownVersion: Fault = {
  code: "U002",
  path: "Data.Version",
  message:
    "Version must be a version of the event notification API, such as " +
    `${eventVersions.map(registeredVersion).join(" or ")}.`,
};

const unknownType = (index: number): Fault => ({
  code: "U024",
  path: `Data.EventTypes[${index}]`,
  message:
    "Each event type must be one that the bank sends: " +
    `${eventTypes.map(({ code }) => code).join(" or ")}.`,
});

function checkUrl(text: string, member: string, { guard }: RegistrationRules): Fault[] {
  const fault = (message: string): Fault[] => [{ code: "U002", path: member, message }];
  // both rules at once, so that no second request fails on the other
  const form =
    `The URL must be absolute, begin with https:// and end with ${callbackPath(newestEventVersion)} ` +
    "(or the same path with another version).";
  const url = URL.parse(text);
  if (!url) return fault(form);
  const isLocal = guard.allowsLoopback && isLoopbackHost(url);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) return fault(form);
  if (url.username !== "" || url.password !== "")
    return fault("The URL must not contain a password.");
  if (url.search !== "" || url.hash !== "" || !urlEnd.test(url.pathname)) return fault(form);
  // a host name other than localhost is resolved and checked when the bank connects to it
  const address = addressOf(url.hostname === "localhost" ? "127.0.0.1" : url.hostname);
  if (isIP(address) === 0 || guard.allows(address)) return [];
  return fault("The host of the URL must have a public address.");
}
