import { accountVersions } from "#src/accounts/account-versions.ts";
import { eventVersions } from "#src/events/event-versions.ts";
import { fundsVersions } from "#src/funds/funds-versions.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { exposeStatus } from "#src/payments/order/order-states.ts";
import { type VersionWords, wordsOf } from "#src/request-log/explain/version-words.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";

/** The words of every version of the APIs, with those of these kinds of payments. */
export function versionWords(kinds: readonly Pick<PaymentKind, "id" | "formats">[]): VersionWords {
  const ofPayments = kinds.flatMap(({ formats }) => Object.values(formats));
  const versions = new Set<ApiVersion>([
    ...ofPayments.map(({ version }) => version),
    ...accountVersions.map(({ api }) => api),
    ...fundsVersions.map(({ api }) => api),
    ...eventVersions,
  ]);
  return wordsOf([...versions], ({ kind: id, apiVersion }, status) => {
    const format = kinds.find((kind) => kind.id === id)?.formats[apiVersion];
    return format ? exposeStatus(format.statuses, status) : status;
  });
}
