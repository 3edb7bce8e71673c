/** One payment of a sample file. Brackets contain the value of an absent member. */
export type SamplePayment = {
  /** [1.00] */
  amount?: string;
  /** [GBP] */
  currency?: string;
  /** Sort code and account number [20001512345678, at another bank] */
  creditor?: string;
  /** [Creditor n] */
  name?: string;
  endToEndId?: string;
  instructionId?: string;
  reference?: string;
  /** `UK.OBIE.CHAPS` [none] */
  localInstrument?: string;
  /**
   * The whole transfer in an XML file. `amount` is only for the totals. [made of the other members]
   */
  xml?: string;
};

/** What an XML sample states about itself. Absent totals are calculated. */
export type SampleXml = {
  /** The payments of each `PmtInf`. */
  groups: readonly { date?: string; debtor?: string; payments: readonly SamplePayment[] }[];
  count?: string;
  sum?: string;
  groupCount?: string;
  groupSum?: string;
};

export const sampleDebtor = "40478411111111";

/** Adds up amounts with at most two decimals. */
export function sumOf(payments: readonly SamplePayment[]): string {
  const pence = payments.reduce((sum, { amount = "1.00" }) => {
    const [pounds = "0", fraction = ""] = amount.split(".");
    return sum + BigInt(pounds + fraction.padEnd(2, "0"));
  }, 0n);
  const digits = pence.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Makes one transfer of a pain.001 file. */
export const sampleTransfer = (payment: SamplePayment, n: number): string =>
  `<CdtTrfTxInf><PmtId><InstrId>${payment.instructionId ?? `I-${n}`}</InstrId><EndToEndId>${
    payment.endToEndId ?? `E-${n}`
  }</EndToEndId></PmtId>${
    payment.localInstrument
      ? `<PmtTpInf><LclInstrm><Prtry>${payment.localInstrument}</Prtry></LclInstrm></PmtTpInf>`
      : ""
  }<Amt><InstdAmt Ccy="${payment.currency ?? "GBP"}">${payment.amount ?? "1.00"}</InstdAmt></Amt>` +
  "<CdtrAgt><FinInstnId><ClrSysMmbId><ClrSysId><Cd>GBDSC</Cd></ClrSysId>" +
  `<MmbId>${(payment.creditor ?? "20001512345678").slice(0, 6)}</MmbId></ClrSysMmbId></FinInstnId>` +
  `</CdtrAgt><Cdtr><Nm>${payment.name ?? `Creditor ${n}`}</Nm><PstlAdr><Ctry>GB</Ctry></PstlAdr>` +
  "</Cdtr><CdtrAcct><Id><Othr>" +
  `<Id>${(payment.creditor ?? "20001512345678").slice(6)}</Id></Othr></Id></CdtrAcct><RmtInf>` +
  `<Ustrd>${payment.reference ?? `Invoice ${n}`}</Ustrd></RmtInf></CdtTrfTxInf>\n`;

/** Makes a pain.001 file. */
export function sampleXml({ groups, ...stated }: SampleXml): string {
  const all = groups.flatMap(({ payments }) => payments);
  let n = 0;
  const bodies = groups.map(
    ({ date = "2027-03-02", debtor = sampleDebtor, payments }, index) =>
      `<PmtInf><PmtInfId>P-${index + 1}</PmtInfId><PmtMtd>TRF</PmtMtd>` +
      `<NbOfTxs>${stated.groupCount ?? payments.length}</NbOfTxs>` +
      `<CtrlSum>${stated.groupSum ?? sumOf(payments)}</CtrlSum>` +
      `<ReqdExctnDt><Dt>${date}</Dt></ReqdExctnDt><Dbtr><Nm>Ann Example</Nm></Dbtr>` +
      `<DbtrAcct><Id><Othr><Id>${debtor}</Id></Othr></Id></DbtrAcct>` +
      "<DbtrAgt><FinInstnId><BICFI>ALDGGB2L</BICFI></FinInstnId></DbtrAgt>\n" +
      payments
        .map((payment) => {
          n += 1;
          return payment.xml ?? sampleTransfer(payment, n);
        })
        .join("") +
      "</PmtInf>\n",
  );
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.08"><CstmrCdtTrfInitn>\n' +
    "<GrpHdr><MsgId>M-1</MsgId><CreDtTm>2027-03-02T09:00:00Z</CreDtTm>" +
    `<NbOfTxs>${stated.count ?? all.length}</NbOfTxs><CtrlSum>${stated.sum ?? sumOf(all)}</CtrlSum>` +
    "<InitgPty><Nm>Ann Example</Nm></InitgPty></GrpHdr>\n" +
    `${bodies.join("")}</CstmrCdtTrfInitn></Document>\n`
  );
}

/** An initiation of v4.0 in the format of a JSON file. */
export const sampleInitiation = (
  payment: SamplePayment,
  n: number,
): Record<string, unknown> & { InstructedAmount: { Amount: string; Currency: string } } => ({
  InstructionIdentification: payment.instructionId ?? `I-${n}`,
  EndToEndIdentification: payment.endToEndId ?? `E-${n}`,
  ...(payment.localInstrument ? { LocalInstrument: payment.localInstrument } : {}),
  InstructedAmount: { Amount: payment.amount ?? "1.00", Currency: payment.currency ?? "GBP" },
  CreditorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: payment.creditor ?? "20001512345678",
    Name: payment.name ?? `Creditor ${n}`,
  },
  RemittanceInformation: { Unstructured: [payment.reference ?? `Invoice ${n}`] },
});

/** Makes a JSON file of payments, by the names of their members. */
export const sampleJson = (payments: Record<string, readonly object[]>): string =>
  JSON.stringify({ Data: payments }, null, 1);

/** Makes a JSON file with only domestic payments. */
export const sampleDomestic = (payments: readonly SamplePayment[]): string =>
  sampleJson({
    DomesticPayments: payments.map((payment, index) => sampleInitiation(payment, index + 1)),
  });
