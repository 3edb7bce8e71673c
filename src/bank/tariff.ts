import type { Money } from "#src/lib/money.ts";
import type { BankCharge, ChargedPayment } from "./port.ts";

/**
 * A row of a bank's tariff: a charge, and the payments that have it. A condition that is absent
 * holds for every payment. With rows, charges need no call to the core.
 */
export type TariffRow = {
  applies: {
    kinds?: readonly string[];
    localInstruments?: readonly string[];
    /** The networks of international payments; `domestic` for all others. */
    networks?: readonly string[];
    /** Who bears the charges; `Shared` if the TPP has not said it. */
    chargeBearers?: readonly string[];
    isUrgent?: boolean;
  };
  /** `chargeBearer` is null for the one that the TPP asked for, which is `Shared` by default. */
  charge: { chargeBearer: string | null; type: string; amount: Money };
};

/** Makes the function that returns the charges of a payment: those of all rows that apply. */
export const chargesBy =
  (tariff: readonly TariffRow[]) =>
  (payment: ChargedPayment): BankCharge[] => {
    const asked = payment.chargeBearer ?? "Shared";
    return tariff
      .filter(({ applies }) => isFor(applies, payment, asked))
      .map(({ charge }) => ({ ...charge, chargeBearer: charge.chargeBearer ?? asked }));
  };

function isFor(applies: TariffRow["applies"], payment: ChargedPayment, bearer: string): boolean {
  const { kinds, localInstruments, networks, chargeBearers, isUrgent } = applies;
  const isAmong = (values: readonly string[] | undefined, value: string | null): boolean =>
    values === undefined || (value !== null && values.includes(value));
  return (
    isAmong(kinds, payment.kind) &&
    isAmong(localInstruments, payment.localInstrument) &&
    isAmong(networks, payment.network ?? "domestic") &&
    isAmong(chargeBearers, bearer) &&
    (isUrgent === undefined || isUrgent === payment.isUrgent)
  );
}
