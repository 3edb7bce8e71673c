import { consentFacts } from "#src/consents/consent-facts.ts";
import type { InvariantGroup } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";
import { fundsConfirmationKind } from "./funds-confirmation-kind.ts";

/** The invariants of TPPs' questions about funds. They apply to any bank core. */
export const fundsInvariantGroups: readonly InvariantGroup[] = [
  {
    what: "confirmations of funds",
    key: {
      table: sql`funds_confirmation`,
      column: sql`funds_confirmation_id`,
      perSlice: 10_000,
    },
    invariants: [
      {
        name: "a question about funds belongs to an authorised consent of its kind",
        breaches: (within) => sql`select f.funds_confirmation_id,
            ${fundsConfirmationKind.id}::text || ', authorised',
            c.kind || case when c.authorised_at is null then ', never authorised' else '' end
          from funds_confirmation f join ${consentFacts} c on c.consent_id = f.consent_id
          where ${within(sql`f.funds_confirmation_id`)}
            and (c.kind <> ${fundsConfirmationKind.id} or c.authorised_at is null)`,
      },
      {
        name: "a question about funds was asked before its consent expired",
        breaches: (within) => sql`select f.funds_confirmation_id, 'before ' || c.expires_at,
            f.asked_at
          from funds_confirmation f join ${consentFacts} c on c.consent_id = f.consent_id
          where ${within(sql`f.funds_confirmation_id`)} and f.asked_at > c.expires_at`,
      },
    ],
  },
];
