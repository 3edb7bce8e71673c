import Type, { type TSchema } from "typebox";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import {
  creditTierBand,
  feeApplicableRange,
  feeOthers,
  feePrice,
  notes,
  otherFeeWord,
  otherWord,
  overdraftFeeType,
  productAmount,
  productRate,
  some,
} from "./product-parts.ts";

// What the models of business and personal current accounts share. They differ in most of their
// words and in some members, which each model gives. Source: OBBCAData1, OBPCAData1.

type Words = readonly string[];
type Members = Record<string, TSchema>;

/** The interest that credit balances earn. */
export const creditInterest = <Method extends string, Destination extends TSchema>(given: {
  tierMethods: readonly Method[];
  frequencies: Words;
  rateTypes: Words;
  destination: Destination;
}) =>
  closed({
    TierBandSet: some(
      open({
        TierBandMethod: oneOf(given.tierMethods),
        CalculationMethod: Type.Optional(oneOf(["Compound", "SimpleInterest"])),
        Destination: given.destination,
        Notes: notes,
        TierBand: some(creditTierBand(given.frequencies, given.tierMethods, given.rateTypes)),
      }),
    ),
  });

/** The fees of an overdraft; `caps` are the caps of all fees and of one fee. */
export const overdraftFees = <
  All extends TSchema,
  One extends TSchema,
  More extends Members,
>(given: {
  rateTypes: Words;
  frequencies: Words;
  caps: { all: All; one: One };
  members: More;
}) =>
  Type.Array(
    open({
      OverdraftFeeChargeCap: given.caps.all,
      OverdraftFeeChargeDetail: some(
        open({
          FeeType: overdraftFeeType,
          ...given.members,
          OverdraftControlIndicator: Type.Optional(Type.Boolean()),
          IncrementalBorrowingAmount: Type.Optional(productAmount),
          ...feePrice(given.rateTypes, given.frequencies),
          OverdraftFeeChargeCap: given.caps.one,
          OtherFeeType: Type.Optional(otherWord),
          ...feeOthers,
        }),
      ),
    }),
  );

/** An overdraft, whose fees are those of a band or of a set of bands. */
export const overdraft = <Fees extends TSchema, More extends Members>(given: {
  types: Words;
  coverage: Words;
  fees: Fees;
  bandMembers: More;
}) =>
  closed({
    Notes: notes,
    OverdraftTierBandSet: some(
      open({
        TierBandMethod: oneOf(["Banded", "Tiered", "Whole"]),
        OverdraftType: Type.Optional(oneOf(given.types)),
        Identification: Type.Optional(text(35)),
        AuthorisedIndicator: Type.Optional(Type.Boolean()),
        BufferAmount: Type.Optional(productAmount),
        Notes: notes,
        OverdraftTierBand: some(
          open({
            Identification: Type.Optional(text(35)),
            TierValueMin: productAmount,
            TierValueMax: Type.Optional(productAmount),
            EAR: Type.Optional(productRate),
            RepresentativeAPR: Type.Optional(productRate),
            ...given.bandMembers,
            OverdraftInterestChargingCoverage: Type.Optional(oneOf(given.coverage)),
            BankGuaranteedIndicator: Type.Optional(Type.Boolean()),
            Notes: notes,
            OverdraftFeesCharges: Type.Optional(given.fees),
          }),
        ),
        OverdraftFeesCharges: Type.Optional(given.fees),
      }),
    ),
  });

/** The fees for services, with their caps. */
export const serviceFees = <
  Fee extends TSchema,
  Caps extends TSchema,
  More extends Members,
>(given: {
  feeType: Fee;
  rateTypes: Words;
  frequencies: Words;
  caps: Caps;
  members: More;
}) => ({
  FeeChargeDetail: some(
    open({
      FeeCategory: oneOf(["Other", "Servicing"]),
      FeeType: given.feeType,
      ...given.members,
      ...feePrice(given.rateTypes, given.frequencies),
      FeeChargeCap: given.caps,
      OtherFeeCategoryType: Type.Optional(otherWord),
      OtherFeeType: Type.Optional(otherFeeWord),
      ...feeOthers,
      FeeApplicableRange: Type.Optional(feeApplicableRange),
    }),
  ),
  FeeChargeCap: given.caps,
});
