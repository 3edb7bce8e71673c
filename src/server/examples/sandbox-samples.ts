/** Bodies of the sandbox's controls, by operation id, for those whose members are all optional. */
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
};
