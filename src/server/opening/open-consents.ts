import { type ConsentChannel, createConsentChannel } from "#src/channels/consent-channel.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { listSignatures } from "#src/payments/execution/multi-authorisation.ts";
import type { Database } from "#src/storage/database.ts";
import { coursesOf } from "./access-kinds.ts";

type Deps = {
  database: Database;
  clock: Clock;
  kinds: readonly Pick<PaymentKind, "id" | "consent">[];
};

/** Opens what the bank's own channels do with consents of every kind. */
export const openConsents = ({ database, clock, kinds }: Deps): ConsentChannel =>
  createConsentChannel({
    ...{ database, clock, listSignatures },
    kinds: coursesOf(kinds),
  });
