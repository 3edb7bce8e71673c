import { present } from "#src/lib/assert.ts";
import { type ApiVersion, versionName } from "#src/standard/api-version.ts";
import { eventsV31 } from "#src/standard/events-v3.1/version.ts";
import { eventsV40 } from "#src/standard/events-v4.0/version.ts";

/**
 * The versions of event notifications, oldest first. Nothing else names them: to drop a version,
 * delete its line and its folder.
 */
export const eventVersions: readonly ApiVersion[] = [eventsV31, eventsV40];

/** The version that the samples, the commands and the demo use. */
export const newestEventVersion: ApiVersion = present(eventVersions.at(-1), "a version of events");

/** Returns the name of a version in a registration, such as `4.0`. */
export const registeredVersion = (api: ApiVersion): string => versionName(api).slice(1);

/** Returns the path with which every callback URL for a version must end. */
export const callbackPath = (api: ApiVersion): string =>
  `/open-banking/${versionName(api)}/event-notifications`;
