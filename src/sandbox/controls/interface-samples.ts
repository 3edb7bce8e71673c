/**
 * Bodies of the sandbox's controls, by operation id: of those whose members are all optional, and
 * of those with an id that a page's reader fills in.
 */
export const sandboxSamples: Readonly<Record<string, object>> = {
  setClock: { advance: "P1D" },
  refusePayment: { reason: "AC04" },
  returnPayment: { reason: "AC04" },
  fireEvent: { type: "UK.OBIE.Resource-Update" },
  changeSoftware: { organisationStatus: "Active" },
  openWorld: { name: "team-2" },
  takeSnapshot: { name: "before-the-test" },
  withdrawVrpContract: { endsConsents: true },
  resendEvents: { days: 1 },
  scanConsent: { customer: "amara", consentId: "" },
  approveConsent: { path: "/api/open-banking/v4.0/pisp/domestic-payment-consents", consentId: "" },
};
