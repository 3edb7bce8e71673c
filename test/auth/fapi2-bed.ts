import assert from "node:assert/strict";
import { type ProfileId, profileIds, securityProfileNamed } from "#src/clients/security-profile.ts";
import { present } from "#src/lib/assert.ts";
import {
  type AuthorizationRequest,
  readAuthorization,
  requestParameters,
} from "#src/sandbox/test-tpp/authorization-flow.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { AuthBed } from "./auth-bed.ts";

/** The profiles of FAPI 2.0. */
export const fapi2Profiles = ["fapi2", "fapi2-message-signing"] as const;

/** A bank with two clients of one profile. */
export type Place = { bed: AuthBed; tpp: TppClient; other: TppClient; profile: ProfileId };

/** Registers two clients of a profile. */
export async function openPlace(bed: AuthBed, profile: ProfileId): Promise<Place> {
  const [tpp, other] = [await bed.createTpp({ profile }), await bed.createTpp({ profile })];
  return { bed, tpp, other, profile };
}

type Changes = Record<string, unknown>;

/** The parameters that a client pushes for a new consent; `overrides` replace or leave out some. */
export async function parametersOf(
  { bed, tpp }: Place,
  overrides: Changes = {},
  request: Partial<AuthorizationRequest> = {},
): Promise<Record<string, string>> {
  const consentId = request.consentId ?? (await bed.lodge(tpp, "account-access"));
  return requestParameters(tpp, { scope: "accounts", ...request, consentId, overrides });
}

/** Pushes a request for a new consent, with changes. */
export const pushed = async (
  place: Place,
  overrides: Changes = {},
  request: Partial<AuthorizationRequest> = {},
): Promise<Answer> => place.tpp.push(await parametersOf(place, overrides, request));

/** Sends a form as it is. */
export const sendForm = (
  { tpp }: Pick<Place, "tpp">,
  path: string,
  form: URLSearchParams | Record<string, string>,
): Promise<Answer> =>
  tpp.send(
    `${tpp.bank.mtlsUrl}${path}`,
    "POST",
    Buffer.from(new URLSearchParams(form).toString()),
    { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
  );

/** Opens a URL as a browser that wants errors as JSON. */
export const visit = ({ tpp }: Pick<Place, "tpp">, url: string): Promise<Answer> =>
  tpp.send(url, "GET", undefined, { accept: "application/json" });

/** The error of a refusal, in a body or in a redirect. A signed response is verified. */
export async function refusalOf(
  { tpp }: Pick<Place, "tpp">,
  { status, headers, body, raw }: Answer,
): Promise<Record<string, string>> {
  if (status === 303) {
    const location = String(headers.location);
    assert.ok(!location.includes("/journey/"), `a page is shown: ${location}`);
    return Object.fromEntries(await readAuthorization(tpp, location));
  }
  assert.ok(status === 400 || status === 401, `${status} ${raw}`);
  return body as Record<string, string>;
}

/** The URL of the authorization endpoint with these parameters. */
export function authUrl({ bed }: Pick<Place, "bed">, parameters: Record<string, string>): string {
  const url = new URL(`${bed.publicUrl}/auth`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** A customer's approval of a new consent: the URL with which the customer comes back. */
export async function approved(
  place: Place,
  overrides: Changes = {},
  decision: "approve" | "deny" = "approve",
): Promise<string> {
  const { bed, tpp } = place;
  const consentId = await bed.lodge(tpp, "account-access", {
    expiresAt: bed.clock.now().add({ hours: 2000 }),
  });
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
  return bed.authorise({ authorizationUrl: url, decision });
}

/** Opens a place for each security profile. Returns the place of a profile. */
export async function openPlaces(bed: AuthBed): Promise<(id: ProfileId) => Place> {
  const places = new Map<ProfileId, Place>();
  for (const id of profileIds) places.set(id, await openPlace(bed, id));
  return (id) => present(places.get(id), id);
}

/** The title of a security profile. */
export const titleOf = (id: ProfileId): string => securityProfileNamed(id).title;
