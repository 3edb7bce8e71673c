import { coveredAccountSubjects } from "#src/consents/consent-facts.ts";
import type { EventResource, EventSubjects } from "#src/events/event-resource.ts";
import { type PaymentKind, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { versionNumber } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { accountReasons, type EventName } from "#src/standard/shared/events/event-types.ts";
import { isServed } from "./formats/format.ts";

// The profile of variable recurring payments wants a reason for each change to an account. The
// standard publishes no reason for blocking or reopening an account, so the bank uses its own.
// Source: EV-13, V-191.
const reasons = {
  ...accountReasons,
  blocked: "GB.Aldgate.AccountBlocked",
  open: "GB.Aldgate.AccountOpen",
};

/**
 * How events name the consents and orders of these kinds: by the stem of their paths, on the
 * versions whose formats serve them.
 */
export const paymentEventResources = (kinds: readonly PaymentKind[]): EventResource[] =>
  kinds.flatMap((kind) => {
    const readableOn: EventResource["readableOn"] = (apiVersion) =>
      servedKinds(kind)
        .filter((served) => isServed(served, { apiVersion }))
        .map(({ format }) => format.version)
        .sort((a, b) => versionNumber(a.release) - versionNumber(b.release));
    const consents = { kind: kind.id, type: `${kind.id}-consents`, readableOn };
    return [
      { objectKind: "consent", ...consents, account: { reasons } },
      { objectKind: "order", kind: kind.id, type: `${kind.id}s`, readableOn },
    ];
  });

/**
 * The consents to several payments that cover each account, and their TPPs. A consent to one
 * payment has no such event, because its payment follows immediately. Source: EV-13.
 */
export const paymentAccountSubjects = (kinds: readonly PaymentKind[]): EventSubjects[] =>
  kinds.flatMap(({ id, shape }) => {
    const { account } = shape.ownEvents ?? {};
    if (account === undefined) return [];
    const ownEvents = { [id]: account };
    return [{ objectKind: "account", rows: coveredAccountSubjects(id), ownEvents }];
  });

/**
 * By kind: a second type for the event that a consent to several payments was withdrawn at the
 * bank. The first type is the same for all consents. Source: EV-12, V-190.
 */
export const paymentAccessEvents = (
  kinds: readonly PaymentKind[],
): Partial<Record<KindId, EventName>> =>
  Object.fromEntries(
    kinds.flatMap(({ id, shape }) => {
      const { access } = shape.ownEvents ?? {};
      return access === undefined ? [] : [[id, access] as const];
    }),
  );
