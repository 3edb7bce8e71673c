import Type from "typebox";
import { list } from "./forms.ts";

/**
 * A value for all payment kinds that are made immediately, or for some by name:
 * `16:30,international-payment=15:00`. The server compares the names with its kinds.
 */
const perKind = (value: string, form: string) => list(`([a-z-]+=)?${value}`, form);

const isoDate = "\\+?\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";

/** The settings of payments and of the consents to them. */
export const paymentSettings = {
  IDEMPOTENCY_CONFLICT_STATUS: Type.Union([Type.Literal(400), Type.Literal(422)], {
    default: 400,
    description: "HTTP status if an idempotency key is used again with another body.",
    usedBy: "a bank that follows the newer text of the standard",
  }),
  STRICT_OAS: Type.Boolean({
    default: false,
    description:
      "Rejects values that the published schemas forbid: those that clients of v4.0 still send, " +
      "and date-times without a time, seconds or an offset. By default, the bank accepts them, as " +
      "the standard's text asks. A TPP can test with this setting what stricter banks refuse.",
    usedBy: "a TPP that tests its requests",
  }),
  CUT_OFF_STRATEGY: Type.String({
    default: "accept",
    ...perKind(
      "(accept|reject)",
      "`accept` or `reject`, for all or for some kinds, such as `accept,international-payment=reject`",
    ),
    description:
      "What happens to payments after the cut-off: `accept` makes them on the next working " +
      "day, `reject` refuses them. To set it for one kind: `accept,international-payment=reject`.",
    usedBy: "a bank with a cut-off",
  }),
  CUT_OFF_TIME: Type.Optional(
    Type.String({
      ...perKind(
        "(none|([01]\\d|2[0-3]):[0-5]\\d)",
        "a time or `none`, for all or for some kinds, such as `16:30,file-payment=none`",
      ),
      description:
        "Daily cut-off, in London time. The default is no cut-off. To set it for some kinds: " +
        "`16:30,international-payment=15:00,file-payment=none`.",
      usedBy: "a bank with a cut-off",
    }),
  ),
  BANK_HOLIDAYS: Type.Optional(
    Type.String({
      ...list(isoDate, "dates, separated by commas, such as `2027-01-01,+2027-06-11`"),
      description:
        "Days that are not working days, besides weekends, such as `2027-01-01,2027-03-26`. A " +
        "payment that is due on such a day is made on the next working day. The default is the " +
        "bank holidays of England and Wales. An entry with a plus sign, such as `+2027-06-11`, is " +
        "added to the default.",
      usedBy: "a bank in Scotland, and for an additional holiday",
    }),
  ),
  PAYMENT_LIMIT: Type.Integer({
    default: 25_000_000,
    minimum: 1,
    description:
      "Largest single payment, in pence. For a payment in another currency, the limit is " +
      "converted at the bank's indicative rate. If the bank quotes no rate, the payment is refused.",
    usedBy: "every bank",
  }),
  STANDING_ORDER_V3_FREQUENCIES: Type.Boolean({
    default: false,
    description: "Accepts v3 frequencies (`IntrvlMnthDay:01:15`) in new standing orders too.",
    usedBy: "a bank whose TPPs still send them",
  }),
  CONSENT_LIFETIME_SECONDS: Type.Integer({
    default: 3600,
    minimum: 60,
    description:
      "How long a consent may wait for the customer's authorisation before it is rejected.",
    usedBy: "a bank with a slower way to the customer",
  }),
};
