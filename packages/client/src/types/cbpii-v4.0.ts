// Written by `node scripts/run.mjs client-types` from the bank's OpenAPI document. Do not edit.

/** The bodies of each operation, by its method and path. */
export type Operations = {
  "POST /funds-confirmation-consents": {
    body: OBFundsConfirmationConsent1;
    answer: OBFundsConfirmationConsentResponse1;
  };
  "GET /funds-confirmation-consents/{ConsentId}": { answer: OBFundsConfirmationConsentResponse1 };
  "DELETE /funds-confirmation-consents/{ConsentId}": { answer: undefined };
  "POST /funds-confirmations": { body: OBFundsConfirmation1; answer: OBFundsConfirmationResponse1 };
};

export type Links = {
  Self: string;
  First?: string;
  Prev?: string;
  Next?: string;
  Last?: string;
};

export type Meta = {
  TotalPages?: number;
  FirstAvailableDateTime?: string;
  LastAvailableDateTime?: string;
};

export type OBError1 = {
  ErrorCode: string;
  Message?: string;
  Path?: string;
  Url?: string;
};

export type OBErrorResponse1 = {
  Id?: string;
  Code?: string;
  Message?: string;
  Errors: OBError1[];
};

export type OBFundsConfirmation1 = {
  Data: {
    ConsentId: string;
    Reference: string;
    InstructedAmount: {
      Amount: string;
      Currency: string;
    };
  };
};

export type OBFundsConfirmationConsent1 = {
  Data: {
    ExpirationDateTime?: string;
    DebtorAccount: {
      SchemeName: string;
      Identification: string;
      Name?: string;
      SecondaryIdentification?: string;
      Proxy?: OBProxy1;
    };
  };
};

export type OBFundsConfirmationConsentResponse1 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AUTH" | "AWAU" | "CANC" | "EXPD" | "RJCT";
    StatusUpdateDateTime: string;
    StatusReason?: OBStatusReason[];
    ExpirationDateTime?: string;
    DebtorAccount: {
      SchemeName: string;
      Identification: string;
      Name?: string;
      SecondaryIdentification?: string;
      Proxy?: OBProxy1;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBFundsConfirmationResponse1 = {
  Data: {
    FundsConfirmationId: string;
    CreationDateTime: string;
    FundsAvailable: boolean;
    ConsentId: string;
    Reference: string;
    InstructedAmount: {
      Amount: string;
      Currency: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBProxy1 = {
  Identification: string;
  Code: Code;
  Type?: string;
};

export type OBStatusReason = {
  StatusReasonCode?: string;
  StatusReasonDescription?: string;
  Path?: string;
};

export type Code =
  | "TELE" | "EMAL" | "DNAM" | "CINC" | "COTX" | "COID" | "CUST" | "DRLC" | "EIDN" | "EWAL"
  | "PVTX" | "LEIC" | "MBNO" | "NIDN" | "CCPT" | "SHID" | "SOSE" | "TOKN" | "UBIL" | "VIPN"
  | "BIID";
