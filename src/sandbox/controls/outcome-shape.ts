import Type, { type Static } from "typebox";

const text = Type.String();
/** An outcome of a payment, as the interface lists it. */
export const paymentOutcome = Type.Object(
  {
    number: text,
    name: text,
    description: text,
    triggers: Type.Object({
      payee: Type.String({ description: "Sort code and account number." }),
      iban: text,
      ibanAbroad: text,
      amount: Type.String({ description: "In any currency." }),
      reference: text,
      user: Type.Union([Type.String({ description: "A customer's login." }), Type.Null()]),
    }),
    statuses: Type.Array(text, { description: "The last one is final." }),
    reason: Type.Union([Type.String({ description: "Of a rejection." }), Type.Null()]),
  },
  { title: "PaymentOutcome" },
);

/** An outcome that a TPP can ask for, and what triggers it. */
export type ShownOutcome = Static<typeof paymentOutcome>;
