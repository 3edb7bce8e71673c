import type { DemoCreditor, Example } from "./example.ts";

/**
 * Example bodies for sweeping to a creditor: at most £50 per payment, £100 per week and £200 per
 * month.
 */
export function sweeping(
  CreditorAccount: DemoCreditor,
  RemittanceInformation: object,
  [instruction, endToEnd]: [instruction: string, endToEnd: string],
): Example<never> {
  const type = "UK.OBIE.VRPType.Sweeping";
  const method = "UK.OBIE.SCANotRequired";
  const limit = (PeriodType: string, PeriodAlignment: string, Amount: string) => ({
    PeriodType,
    PeriodAlignment,
    Amount,
    Currency: "GBP",
  });
  const Initiation = { CreditorAccount, RemittanceInformation };
  const Risk = { PaymentContextCode: "TransferToSelf" };
  const ControlParameters = {
    VRPType: [type],
    PSUAuthenticationMethods: [method],
    PSUInteractionTypes: ["OffSession"],
    MaximumIndividualAmount: { Amount: "50.00", Currency: "GBP" },
    PeriodicLimits: [limit("Week", "Consent", "100.00"), limit("Month", "Consent", "200.00")],
  };
  const Instruction = {
    InstructionIdentification: instruction,
    EndToEndIdentification: endToEnd,
    InstructedAmount: { Amount: "50.00", Currency: "GBP" },
    ...Initiation,
  };
  const order = {
    PSUAuthenticationMethod: method,
    VRPType: type,
    PSUInteractionType: "OffSession",
  };
  return {
    consent: { Data: { ReadRefundAccount: "Yes", ControlParameters, Initiation }, Risk },
    order: { Data: { ConsentId: "", ...order, Initiation, Instruction }, Risk },
    funds: { Data: { ConsentId: "", InstructedAmount: Instruction.InstructedAmount } },
  };
}
