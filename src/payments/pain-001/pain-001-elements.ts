import { type ElementRule, rule } from "#src/payments/files/xml-elements.ts";

/** The namespace of customer credit transfers in the supported release. */
export const pain001Namespace = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.08";

const opaque = (...words: string[]): ElementRule[] => words.map((word) => rule(word, "opaque"));

const text = (word: string): ElementRule => rule(word);

const account = [
  rule("Id", [
    rule("IBAN?"),
    rule("Othr?", [
      rule("Id"),
      rule("SchmeNm?", [rule("Cd?"), rule("Prtry?")]),
      ...opaque("Issr?"),
    ]),
  ]),
  rule("Tp?", "opaque"),
  rule("Ccy?"),
  rule("Nm?"),
];

const address = [
  rule("AdrTp?", "opaque"),
  ...["Dept?", "SubDept?", "StrtNm?", "BldgNb?", "BldgNm?", "Flr?", "PstBx?", "Room?"].map(text),
  ...["PstCd?", "TwnNm?", "TwnLctnNm?", "DstrctNm?", "CtrySubDvsn?", "Ctry?", "AdrLine*"].map(text),
];

const agent = (postalAddress: ElementRule) => [
  rule("FinInstnId", [
    rule("BICFI?"),
    rule("ClrSysMmbId?", [rule("ClrSysId?", [rule("Cd?"), rule("Prtry?")]), rule("MmbId")]),
    rule("Nm?"),
    postalAddress,
    rule("Othr?", "opaque"),
  ]),
  rule("BrnchId?", "opaque"),
];

const party = (postalAddress: ElementRule) => [
  rule("Nm?"),
  postalAddress,
  ...opaque("Id?", "CtryOfRes?", "CtctDtls?"),
];

const anyAddress = rule("PstlAdr?", "opaque");
const readAddress = rule("PstlAdr?", address);

const paymentType = [
  rule("InstrPrty?"),
  rule("SvcLvl?", "opaque"),
  rule("LclInstrm?", [rule("Cd?"), rule("Prtry?")]),
  rule("CtgyPurp?", "opaque"),
];

const remittance = [
  rule("Ustrd*"),
  rule("Strd*", [
    ...opaque("RfrdDocInf*", "RfrdDocAmt?"),
    rule("CdtrRefInf?", [rule("Tp?", "opaque"), rule("Ref?")]),
    ...opaque("Invcr?", "Invcee?", "TaxRmt?", "GrnshmtRmt?", "AddtlRmtInf*"),
  ]),
];

const transfer = rule(
  "CdtTrfTxInf+",
  [
    rule("PmtId", [rule("InstrId?"), rule("EndToEndId")]),
    rule("PmtTpInf?", paymentType),
    rule("Amt", [rule("InstdAmt?"), rule("EqvtAmt?", [rule("Amt"), rule("CcyOfTrf")])]),
    rule("XchgRateInf?", ["UnitCcy?", "XchgRate?", "RateTp?", "CtrctId?"].map(text)),
    rule("ChrgBr?"),
    ...opaque("ChqInstr?", "UltmtDbtr?"),
    ...opaque("IntrmyAgt1?", "IntrmyAgt1Acct?", "IntrmyAgt2?", "IntrmyAgt2Acct?"),
    ...opaque("IntrmyAgt3?", "IntrmyAgt3Acct?"),
    rule("CdtrAgt?", agent(readAddress)),
    rule("CdtrAgtAcct?", "opaque"),
    rule("Cdtr?", party(readAddress)),
    rule("CdtrAcct?", account),
    ...opaque("UltmtCdtr?", "InstrForCdtrAgt*", "InstrForDbtrAgt?", "Purp?", "RgltryRptg*"),
    ...opaque("Tax?", "RltdRmtInf*"),
    rule("RmtInf?", remittance),
    rule("SplmtryData*", "opaque"),
  ],
  true,
);

const paymentInformation = rule(
  "PmtInf+",
  [
    rule("PmtInfId"),
    rule("PmtMtd"),
    rule("BtchBookg?"),
    rule("NbOfTxs?"),
    rule("CtrlSum?"),
    rule("PmtTpInf?", paymentType),
    // older releases allowed only a date here
    rule("ReqdExctnDt", [rule("Dt?"), rule("DtTm?")]),
    rule("PoolgAdjstmntDt?"),
    rule("Dbtr", party(anyAddress)),
    rule("DbtrAcct", account),
    rule("DbtrAgt", agent(anyAddress)),
    ...opaque("DbtrAgtAcct?", "InstrForDbtrAgt?", "UltmtDbtr?"),
    rule("ChrgBr?"),
    ...opaque("ChrgsAcct?", "ChrgsAcctAgt?"),
    transfer,
  ],
  true,
);

const groupHeader = rule(
  "GrpHdr",
  [
    rule("MsgId"),
    rule("CreDtTm"),
    rule("Authstn*", "opaque"),
    rule("NbOfTxs"),
    rule("CtrlSum?"),
    rule("InitgPty", "opaque"),
    rule("FwdgAgt?", "opaque"),
  ],
  true,
);

/**
 * The elements of a customer credit transfer initiation, in order. Elements that the bank ignores
 * may contain anything. Source: ISO 20022, pain.001.001.08.
 */
export const pain001Document: ElementRule = rule("Document", [
  rule("CstmrCdtTrfInitn", [groupHeader, paymentInformation, rule("SplmtryData*", "opaque")]),
]);
