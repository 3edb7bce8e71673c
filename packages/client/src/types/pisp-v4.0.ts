// Written by `node scripts/run.mjs client-types` from the bank's OpenAPI document. Do not edit.

/** The bodies of each operation, by its method and path. */
export type Operations = {
  "POST /domestic-payment-consents": {
    body: OBWriteDomesticConsent4;
    answer: OBWriteDomesticConsentResponse5;
  };
  "GET /domestic-payment-consents/{ConsentId}": { answer: OBWriteDomesticConsentResponse5 };
  "GET /domestic-payment-consents/{ConsentId}/funds-confirmation": {
    answer: OBWriteFundsConfirmationResponse1;
  };
  "POST /domestic-payments": { body: OBWriteDomestic2; answer: OBWriteDomesticResponse5 };
  "GET /domestic-payments/{DomesticPaymentId}": { answer: OBWriteDomesticResponse5 };
  "GET /domestic-payments/{DomesticPaymentId}/payment-details": {
    answer: OBWritePaymentDetailsResponse1;
  };
  "POST /domestic-scheduled-payment-consents": {
    body: OBWriteDomesticScheduledConsent4;
    answer: OBWriteDomesticScheduledConsentResponse5;
  };
  "GET /domestic-scheduled-payment-consents/{ConsentId}": {
    answer: OBWriteDomesticScheduledConsentResponse5;
  };
  "POST /domestic-scheduled-payments": {
    body: OBWriteDomesticScheduled2;
    answer: OBWriteDomesticScheduledResponse5;
  };
  "GET /domestic-scheduled-payments/{DomesticScheduledPaymentId}": {
    answer: OBWriteDomesticScheduledResponse5;
  };
  "GET /domestic-scheduled-payments/{DomesticScheduledPaymentId}/payment-details": {
    answer: OBWritePaymentDetailsResponse1;
  };
  "POST /domestic-standing-order-consents": {
    body: OBWriteDomesticStandingOrderConsent5;
    answer: OBWriteDomesticStandingOrderConsentResponse6;
  };
  "GET /domestic-standing-order-consents/{ConsentId}": {
    answer: OBWriteDomesticStandingOrderConsentResponse6;
  };
  "POST /domestic-standing-orders": {
    body: OBWriteDomesticStandingOrder3;
    answer: OBWriteDomesticStandingOrderResponse6;
  };
  "GET /domestic-standing-orders/{DomesticStandingOrderId}": {
    answer: OBWriteDomesticStandingOrderResponse6;
  };
  "GET /domestic-standing-orders/{DomesticStandingOrderId}/payment-details": {
    answer: OBWritePaymentDetailsResponse1;
  };
  "POST /international-payment-consents": {
    body: OBWriteInternationalConsent5;
    answer: OBWriteInternationalConsentResponse6;
  };
  "GET /international-payment-consents/{ConsentId}": {
    answer: OBWriteInternationalConsentResponse6;
  };
  "GET /international-payment-consents/{ConsentId}/funds-confirmation": {
    answer: OBWriteFundsConfirmationResponse1;
  };
  "POST /international-payments": {
    body: OBWriteInternational3;
    answer: OBWriteInternationalResponse5;
  };
  "GET /international-payments/{InternationalPaymentId}": { answer: OBWriteInternationalResponse5 };
  "GET /international-payments/{InternationalPaymentId}/payment-details": {
    answer: OBWritePaymentDetailsResponse1;
  };
  "POST /international-scheduled-payment-consents": {
    body: OBWriteInternationalScheduledConsent5;
    answer: OBWriteInternationalScheduledConsentResponse6;
  };
  "GET /international-scheduled-payment-consents/{ConsentId}": {
    answer: OBWriteInternationalScheduledConsentResponse6;
  };
  "GET /international-scheduled-payment-consents/{ConsentId}/funds-confirmation": {
    answer: OBWriteFundsConfirmationResponse1;
  };
  "POST /international-scheduled-payments": {
    body: OBWriteInternationalScheduled3;
    answer: OBWriteInternationalScheduledResponse6;
  };
  "GET /international-scheduled-payments/{InternationalScheduledPaymentId}": {
    answer: OBWriteInternationalScheduledResponse6;
  };
  "GET /international-scheduled-payments/{InternationalScheduledPaymentId}/payment-details": {
    answer: OBWritePaymentDetailsResponse1;
  };
  "POST /international-standing-order-consents": {
    body: OBWriteInternationalStandingOrderConsent6;
    answer: OBWriteInternationalStandingOrderConsentResponse7;
  };
  "GET /international-standing-order-consents/{ConsentId}": {
    answer: OBWriteInternationalStandingOrderConsentResponse7;
  };
  "POST /international-standing-orders": {
    body: OBWriteInternationalStandingOrder4;
    answer: OBWriteInternationalStandingOrderResponse7;
  };
  "GET /international-standing-orders/{InternationalStandingOrderPaymentId}": {
    answer: OBWriteInternationalStandingOrderResponse7;
  };
  "GET /international-standing-orders/{InternationalStandingOrderPaymentId}/payment-details": {
    answer: OBWritePaymentDetailsResponse1;
  };
  "POST /file-payment-consents": { body: OBWriteFileConsent3; answer: OBWriteFileConsentResponse4 };
  "GET /file-payment-consents/{ConsentId}": { answer: OBWriteFileConsentResponse4 };
  "POST /file-payment-consents/{ConsentId}/file": { body: PaymentFile; answer: undefined };
  "GET /file-payment-consents/{ConsentId}/file": { answer: PaymentFile };
  "POST /file-payments": { body: OBWriteFile2; answer: OBWriteFileResponse3 };
  "GET /file-payments/{FilePaymentId}": { answer: OBWriteFileResponse3 };
  "GET /file-payments/{FilePaymentId}/payment-details": { answer: OBWritePaymentDetailsResponse1 };
  "GET /file-payments/{FilePaymentId}/report-file": { answer: PaymentFile };
  "POST /domestic-vrp-consents": {
    body: OBDomesticVRPConsentRequest;
    answer: OBDomesticVRPConsentResponse;
  };
  "GET /domestic-vrp-consents/{ConsentId}": { answer: OBDomesticVRPConsentResponse };
  "DELETE /domestic-vrp-consents/{ConsentId}": { answer: undefined };
  "POST /domestic-vrp-consents/{ConsentId}/funds-confirmation": {
    body: OBVRPFundsConfirmationRequest;
    answer: OBVRPFundsConfirmationResponse;
  };
  "POST /domestic-vrps": { body: OBDomesticVRPRequest; answer: OBDomesticVRPResponse };
  "GET /domestic-vrps/{DomesticVRPId}": { answer: OBDomesticVRPResponse };
  "GET /domestic-vrps/{DomesticVRPId}/payment-details": { answer: OBDomesticVRPDetails };
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

export type OBCashAccountCreditor3 = {
  SchemeName: string;
  Identification: string;
  SecondaryIdentification?: string;
  Proxy?: OBProxy1;
  Name: string;
};

export type OBCashAccountDebtor4 = {
  SchemeName?: string;
  Identification?: string;
  Name?: string;
  SecondaryIdentification?: string;
  LEI?: string;
};

export type OBCashAccountDebtorWithName = {
  SchemeName: string;
  Identification: string;
  SecondaryIdentification?: string;
  Proxy?: OBProxy1;
  Name?: string;
};

export type OBDomesticRefundAccount1 = {
  Account: {
    SchemeName: string;
    Identification: string;
    Name: string;
    SecondaryIdentification?: string;
  };
};

export type OBDomesticVRPConsentRequest = {
  Data: {
    ReadRefundAccount?: "No" | "Yes";
    ControlParameters: OBDomesticVRPControlParameters;
    Initiation: OBDomesticVRPInitiation;
  };
  Risk: OBRisk1;
};

export type OBDomesticVRPConsentResponse = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    StatusUpdateDateTime: string;
    Status: "AWAU" | "RJCT" | "AUTH" | "CANC" | "EXPD";
    StatusReason?: OBStatusReason[];
    ReadRefundAccount?: "No" | "Yes";
    ControlParameters: OBDomesticVRPControlParameters;
    Initiation: OBDomesticVRPInitiation;
    DebtorAccount?: OBCashAccountDebtorWithName;
  };
  Risk: OBRisk1;
  Links?: Links;
  Meta?: Meta;
};

export type OBDomesticVRPControlParameters = {
  ValidFromDateTime?: string;
  ValidToDateTime?: string;
  MaximumIndividualAmount: {
    Amount: string;
    Currency: string;
  };
  PeriodicLimits: {
    PeriodType: "Day" | "Week" | "Fortnight" | "Month" | "Half-year" | "Year";
    PeriodAlignment: "Consent" | "Calendar";
    Amount: string;
    Currency: string;
  }[];
  VRPType: string[];
  PSUAuthenticationMethods: string[];
  PSUInteractionTypes?: ("InSession" | "OffSession")[];
  SupplementaryData?: Record<string, unknown>;
};

export type OBDomesticVRPDetails = {
  Data: {
    PaymentStatus?: {
      PaymentTransactionId: string;
      Status: Status;
      StatusUpdateDateTime: string;
      StatusDetail?: {
        LocalInstrument?: string;
        Status: Status;
        StatusReason?: string;
        StatusReasonDescription?: string;
      };
    }[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBDomesticVRPInitiation = {
  DebtorAccount?: OBCashAccountDebtorWithName;
  UltimateDebtor?: OBUltimateDebtor1;
  CreditorAccount?: OBCashAccountCreditor3;
  CreditorPostalAddress?: OBPostalAddress7;
  UltimateCreditor?: OBUltimateCreditor1;
  RemittanceInformation?: OBRemittanceInformation2Vrp;
  RegulatoryReporting?: OBRegulatoryReporting1[];
};

export type OBDomesticVRPInstruction = {
  InstructionIdentification: string;
  EndToEndIdentification: string;
  RemittanceInformation?: OBRemittanceInformation2Vrp;
  LocalInstrument?: string;
  InstructedAmount: {
    Amount: string;
    Currency: string;
  };
  CreditorPostalAddress?: OBPostalAddress7;
  CreditorAccount: OBCashAccountCreditor3;
  UltimateCreditor?: OBUltimateCreditor1;
  SupplementaryData?: Record<string, unknown>;
};

export type OBDomesticVRPRequest = {
  Data: {
    ConsentId: string;
    PSUAuthenticationMethod: string;
    PSUInteractionType?: "InSession" | "OffSession";
    VRPType: string;
    Initiation: OBDomesticVRPInitiation;
    Instruction: OBDomesticVRPInstruction;
  };
  Risk: OBRisk1;
};

export type OBDomesticVRPResponse = {
  Data: {
    DomesticVRPId: string;
    ConsentId: string;
    CreationDateTime: string;
    StatusUpdateDateTime: string;
    Status: "RCVD" | "ACTC" | "PDNG" | "RJCT" | "ACCP" | "ACFC" | "ACSP" | "ACWC" | "ACSC" | "BLCK" | "ACCC" | "ACWP";
    StatusReason?: OBStatusReason[];
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    Refund?: OBDomesticRefundAccount1;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: "UK.OBIE.CHAPSOut" | "UK.OBIE.BalanceTransferOut" | "UK.OBIE.MoneyTransferOut";
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Initiation: OBDomesticVRPInitiation;
    Instruction: OBDomesticVRPInstruction;
    DebtorAccount?: OBCashAccountDebtorWithName;
  };
  Risk: OBRisk1;
  Links?: Links;
  Meta?: Meta;
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

export type OBFrequency6 = {
  Type: Type | string;
  CountPerPeriod?: number;
  PointInTime?: string;
};

export type OBMandateRelatedInformation1 = {
  MandateIdentification?: string;
  Classification?: "FIXE" | "USGB" | "VARI";
  CategoryPurposeCode?: CategoryPurposeCode;
  FirstPaymentDateTime?: string;
  RecurringPaymentDateTime?: string;
  FinalPaymentDateTime?: string;
  Frequency: OBFrequency6;
  Reason?: string;
};

export type OBPostalAddress7 = {
  AddressType?: "BIZZ" | "CORR" | "DLVY" | "MLTO" | "PBOX" | "ADDR" | "HOME" | "STAT";
  Department?: string;
  SubDepartment?: string;
  StreetName?: string;
  BuildingNumber?: string;
  BuildingName?: string;
  Floor?: string;
  UnitNumber?: string;
  Room?: string;
  PostBox?: string;
  TownLocationName?: string;
  DistrictName?: string;
  CareOf?: string;
  PostCode?: string;
  TownName?: string;
  CountrySubDivision?: string;
  Country?: string;
  AddressLine?: string[];
};

export type OBProxy1 = {
  Identification: string;
  Code: Code;
  Type?: string;
};

export type OBReferredDocumentInformation = {
  Code?: Code2;
  Issuer?: string;
  Number?: string;
  RelatedDate?: string;
  LineDetails?: string[];
};

export type OBReferredDocumentInformationVrp = {
  Code?: Code3;
  Issuer?: string;
  Number?: string;
  RelatedDate?: string;
  LineDetails?: string[];
};

export type OBRegulatoryAuthority2 = {
  Name?: string;
  CountryCode?: string;
};

export type OBRegulatoryReporting1 = {
  DebitCreditReportingIndicator?: "CRED" | "DEBT" | "BOTH";
  Authority?: OBRegulatoryAuthority2;
  Details?: OBStructuredRegulatoryReporting3[];
};

export type OBRemittanceInformation2 = {
  Structured?: OBRemittanceInformationStructured[];
  Unstructured?: string[];
};

export type OBRemittanceInformation2Vrp = {
  Structured?: OBRemittanceInformationStructuredVrp[];
  Unstructured?: string[];
};

export type OBRemittanceInformationStructured = {
  ReferredDocumentInformation?: OBReferredDocumentInformation[];
  ReferredDocumentAmount?: string;
  CreditorReferenceInformation?: {
    Code?: "DISP" | "FXDR" | "PUOR" | "RPIN" | "RADM" | "SCOR";
    Issuer?: string;
    Reference?: string;
  };
  Invoicer?: string;
  Invoicee?: string;
  TaxRemittance?: string;
  AdditionalRemittanceInformation?: string[];
};

export type OBRemittanceInformationStructuredVrp = {
  ReferredDocumentInformation?: OBReferredDocumentInformationVrp[];
  ReferredDocumentAmount?: string;
  CreditorReferenceInformation?: {
    Code?: "DISP" | "FXDR" | "PUOR" | "RPIN" | "RADM" | "SCOR";
    Issuer?: string;
    Reference?: string;
  };
  Invoicer?: string;
  Invoicee?: string;
  TaxRemittance?: string;
  AdditionalRemittanceInformation?: string[];
};

export type OBRisk1 = {
  PaymentContextCode?: "BillingGoodsAndServicesInAdvance" | "BillingGoodsAndServicesInArrears" | "EcommerceMerchantInitiatedPayment" | "FaceToFacePointOfSale" | "TransferToSelf" | "TransferToThirdParty" | "BillPayment" | "EcommerceGoods" | "EcommerceServices" | "PartyToParty" | "PispPayee" | "Other";
  MerchantCategoryCode?: string;
  MerchantCustomerIdentification?: string;
  ContractPresentIndicator?: boolean;
  BeneficiaryPrepopulatedIndicator?: boolean;
  PaymentPurposeCode?: PaymentPurposeCode;
  CategoryPurposeCode?: CategoryPurposeCode;
  BeneficiaryAccountType?: BeneficiaryAccountType;
  DeliveryAddress?: OBPostalAddress7;
};

export type OBSCASupportData1 = {
  RequestedSCAExemptionType?: "BillPayment" | "ContactlessTravel" | "EcommerceGoods" | "EcommerceServices" | "Kiosk" | "Parking" | "PartyToParty";
  AppliedAuthenticationApproach?: "CA" | "SCA";
  ReferencePaymentOrderId?: string;
};

export type OBStatusReason = {
  StatusReasonCode?: string;
  StatusReasonDescription?: string;
  Path?: string;
};

export type OBStructuredRegulatoryReporting3 = {
  Type?: string;
  Date?: string;
  Country?: string;
  Amount?: {
    Amount: string;
    Currency: string;
  };
  Information?: string[];
};

export type OBSupplementaryData1 = Record<string, unknown>;

export type OBUltimateCreditor1 = {
  Name?: string;
  Identification?: string;
  LEI?: string;
  SchemeName?: string;
  PostalAddress?: OBPostalAddress7;
};

export type OBUltimateDebtor1 = {
  Name?: string;
  Identification?: string;
  LEI?: string;
  SchemeName?: string;
  PostalAddress?: OBPostalAddress7;
};

export type OBVRPFundsConfirmationRequest = {
  Data: {
    ConsentId: string;
    Reference?: string;
    InstructedAmount: {
      Amount: string;
      Currency: string;
    };
  };
};

export type OBVRPFundsConfirmationResponse = {
  Data: {
    FundsConfirmationId: string;
    CreationDateTime: string;
    ConsentId: string;
    Reference?: string;
    InstructedAmount: {
      Amount: string;
      Currency: string;
    };
    FundsAvailableResult: {
      FundsAvailableDateTime: string;
      FundsAvailable: "Available" | "NotAvailable";
    };
  };
};

export type OBWriteDomestic2 = {
  Data: {
    ConsentId: string;
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorPostalAddress?: OBPostalAddress7;
      EndToEndIdentification: string;
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
  };
  Risk: OBRisk1;
};

export type OBWriteDomesticConsent4 = {
  Data: {
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorPostalAddress?: OBPostalAddress7;
      EndToEndIdentification: string;
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
  };
  Risk: OBRisk1;
};

export type OBWriteDomesticConsentResponse5 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AWAU" | "RJCT" | "AUTH" | "COND";
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorPostalAddress?: OBPostalAddress7;
      EndToEndIdentification: string;
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
    CutOffDateTime?: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
  };
  Risk: OBRisk1;
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteDomesticResponse5 = {
  Data: {
    DomesticPaymentId: string;
    ConsentId: string;
    CreationDateTime: string;
    Status: Status2;
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
    Refund?: OBDomesticRefundAccount1;
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorPostalAddress?: OBPostalAddress7;
      EndToEndIdentification: string;
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "AUTH" | "AWAF" | "RJCT";
      NumberRequired?: number;
      NumberReceived?: number;
      LastUpdateDateTime?: string;
      ExpirationDateTime?: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteDomesticScheduled2 = {
  Data: {
    ConsentId: string;
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorPostalAddress?: OBPostalAddress7;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
  };
  Risk: OBRisk1;
};

export type OBWriteDomesticScheduledConsent4 = {
  Data: {
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorPostalAddress?: OBPostalAddress7;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
  };
  Risk: OBRisk1;
};

export type OBWriteDomesticScheduledConsentResponse5 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AWAU" | "RJCT" | "AUTH" | "COND";
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorPostalAddress?: OBPostalAddress7;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
    CutOffDateTime?: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
  };
  Risk: OBRisk1;
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteDomesticScheduledResponse5 = {
  Data: {
    DomesticScheduledPaymentId: string;
    ConsentId: string;
    CreationDateTime: string;
    Status: Status3;
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
    Refund?: OBDomesticRefundAccount1;
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorPostalAddress?: OBPostalAddress7;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "AUTH" | "AWAF" | "RJCT";
      NumberRequired?: number;
      NumberReceived?: number;
      LastUpdateDateTime?: string;
      ExpirationDateTime?: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteDomesticStandingOrder3 = {
  Data: {
    ConsentId: string;
    Initiation: {
      MandateRelatedInformation: OBMandateRelatedInformation1;
      NumberOfPayments?: string;
      FirstPaymentAmount: {
        Amount: string;
        Currency: string;
      };
      RecurringPaymentAmount?: {
        Amount: string;
        Currency: string;
      };
      FinalPaymentAmount?: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
  };
  Risk: OBRisk1;
};

export type OBWriteDomesticStandingOrderConsent5 = {
  Data: {
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      MandateRelatedInformation: OBMandateRelatedInformation1;
      NumberOfPayments?: string;
      FirstPaymentAmount: {
        Amount: string;
        Currency: string;
      };
      RecurringPaymentAmount?: {
        Amount: string;
        Currency: string;
      };
      FinalPaymentAmount?: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
  };
  Risk: OBRisk1;
};

export type OBWriteDomesticStandingOrderConsentResponse6 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AWAU" | "RJCT" | "AUTH" | "COND";
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      MandateRelatedInformation: OBMandateRelatedInformation1;
      NumberOfPayments?: string;
      FirstPaymentAmount: {
        Amount: string;
        Currency: string;
      };
      RecurringPaymentAmount?: {
        Amount: string;
        Currency: string;
      };
      FinalPaymentAmount?: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
    CutOffDateTime?: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
  };
  Risk: OBRisk1;
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteDomesticStandingOrderResponse6 = {
  Data: {
    DomesticStandingOrderId: string;
    ConsentId: string;
    CreationDateTime: string;
    Status: Status;
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
    Refund?: OBDomesticRefundAccount1;
    Initiation: {
      MandateRelatedInformation: OBMandateRelatedInformation1;
      NumberOfPayments?: string;
      FirstPaymentAmount: {
        Amount: string;
        Currency: string;
      };
      RecurringPaymentAmount?: {
        Amount: string;
        Currency: string;
      };
      FinalPaymentAmount?: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "AUTH" | "AWAF" | "RJCT";
      NumberRequired?: number;
      NumberReceived?: number;
      LastUpdateDateTime?: string;
      ExpirationDateTime?: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteFile2 = {
  Data: {
    ConsentId: string;
    Initiation: {
      FileType: string;
      FileHash: string;
      FileReference?: string;
      NumberOfTransactions?: string;
      ControlSum?: number;
      RequestedExecutionDateTime?: string;
      LocalInstrument?: string;
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      UltimateDebtor?: OBUltimateDebtor1;
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
  };
};

export type OBWriteFileConsent3 = {
  Data: {
    Initiation: {
      FileType: string;
      FileHash: string;
      FileReference?: string;
      NumberOfTransactions?: string;
      ControlSum?: number;
      RequestedExecutionDateTime?: string;
      LocalInstrument?: string;
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      UltimateDebtor?: OBUltimateDebtor1;
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
  };
};

export type OBWriteFileConsentResponse4 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AWUP" | "AWAU" | "RJCT" | "AUTH" | "COND";
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    Initiation: {
      FileType: string;
      FileHash: string;
      FileReference?: string;
      NumberOfTransactions?: string;
      ControlSum?: number;
      RequestedExecutionDateTime?: string;
      LocalInstrument?: string;
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      UltimateDebtor?: OBUltimateDebtor1;
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
    CutOffDateTime?: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteFileResponse3 = {
  Data: {
    FilePaymentId: string;
    ConsentId: string;
    CreationDateTime: string;
    Status: "PDNG" | "INFA" | "INCO";
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
    Initiation: {
      FileType: string;
      FileHash: string;
      FileReference?: string;
      NumberOfTransactions?: string;
      ControlSum?: number;
      RequestedExecutionDateTime?: string;
      LocalInstrument?: string;
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      UltimateDebtor?: OBUltimateDebtor1;
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "AUTH" | "AWAF" | "RJCT";
      NumberRequired?: number;
      NumberReceived?: number;
      LastUpdateDateTime?: string;
      ExpirationDateTime?: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteFundsConfirmationResponse1 = {
  Data: {
    FundsAvailableResult?: {
      FundsAvailableDateTime: string;
      FundsAvailable: boolean;
    };
    SupplementaryData?: OBSupplementaryData1;
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteInternational3 = {
  Data: {
    ConsentId: string;
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      ExchangeRateInformation?: {
        UnitCurrency: string;
        ExchangeRate?: number;
        RateType: "Actual" | "Agreed" | "Indicative";
        ContractIdentification?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      EndToEndIdentification: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
  };
  Risk: OBRisk1;
};

export type OBWriteInternationalConsent5 = {
  Data: {
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      ExchangeRateInformation?: {
        UnitCurrency: string;
        ExchangeRate?: number;
        RateType: "Actual" | "Agreed" | "Indicative";
        ContractIdentification?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      EndToEndIdentification: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
  };
  Risk: OBRisk1;
};

export type OBWriteInternationalConsentResponse6 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AWAU" | "RJCT" | "AUTH" | "COND";
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      ExchangeRateInformation?: {
        UnitCurrency: string;
        ExchangeRate?: number;
        RateType: "Actual" | "Agreed" | "Indicative";
        ContractIdentification?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      EndToEndIdentification: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
    CutOffDateTime?: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    ExchangeRateInformation?: {
      UnitCurrency: string;
      ExchangeRate: number;
      RateType: "Actual" | "Agreed" | "Indicative";
      ContractIdentification?: string;
      ExpirationDateTime?: string;
    };
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
  };
  Risk: OBRisk1;
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteInternationalResponse5 = {
  Data: {
    InternationalPaymentId: string;
    ConsentId: string;
    CreationDateTime: string;
    Status: Status2;
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    ExchangeRateInformation?: {
      UnitCurrency: string;
      ExchangeRate: number;
      RateType: "Actual" | "Agreed" | "Indicative";
      ContractIdentification?: string;
      ExpirationDateTime?: string;
    };
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
    Refund?: OBDomesticRefundAccount1;
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      ExchangeRateInformation?: {
        UnitCurrency: string;
        ExchangeRate?: number;
        RateType: "Actual" | "Agreed" | "Indicative";
        ContractIdentification?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      EndToEndIdentification: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "AUTH" | "AWAF" | "RJCT";
      NumberRequired?: number;
      NumberReceived?: number;
      LastUpdateDateTime?: string;
      ExpirationDateTime?: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteInternationalScheduled3 = {
  Data: {
    ConsentId: string;
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      ExchangeRateInformation?: {
        UnitCurrency: string;
        ExchangeRate?: number;
        RateType: "Actual" | "Agreed" | "Indicative";
        ContractIdentification?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
  };
  Risk: OBRisk1;
};

export type OBWriteInternationalScheduledConsent5 = {
  Data: {
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      ExchangeRateInformation?: {
        UnitCurrency: string;
        ExchangeRate?: number;
        RateType: "Actual" | "Agreed" | "Indicative";
        ContractIdentification?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
  };
  Risk: OBRisk1;
};

export type OBWriteInternationalScheduledConsentResponse6 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AWAU" | "RJCT" | "AUTH" | "COND";
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      ExchangeRateInformation?: {
        UnitCurrency: string;
        ExchangeRate?: number;
        RateType: "Actual" | "Agreed" | "Indicative";
        ContractIdentification?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
    CutOffDateTime?: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    ExchangeRateInformation?: {
      UnitCurrency: string;
      ExchangeRate: number;
      RateType: "Actual" | "Agreed" | "Indicative";
      ContractIdentification?: string;
      ExpirationDateTime?: string;
    };
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
  };
  Risk: OBRisk1;
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteInternationalScheduledResponse6 = {
  Data: {
    InternationalScheduledPaymentId: string;
    ConsentId: string;
    CreationDateTime: string;
    Status: Status3;
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    ExchangeRateInformation?: {
      UnitCurrency: string;
      ExchangeRate: number;
      RateType: "Actual" | "Agreed" | "Indicative";
      ContractIdentification?: string;
      ExpirationDateTime?: string;
    };
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
    Refund?: OBDomesticRefundAccount1;
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      ExchangeRateInformation?: {
        UnitCurrency: string;
        ExchangeRate?: number;
        RateType: "Actual" | "Agreed" | "Indicative";
        ContractIdentification?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "AUTH" | "AWAF" | "RJCT";
      NumberRequired?: number;
      NumberReceived?: number;
      LastUpdateDateTime?: string;
      ExpirationDateTime?: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteInternationalStandingOrder4 = {
  Data: {
    ConsentId: string;
    Initiation: {
      MandateRelatedInformation: OBMandateRelatedInformation1;
      NumberOfPayments?: string;
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
  };
  Risk: OBRisk1;
};

export type OBWriteInternationalStandingOrderConsent6 = {
  Data: {
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      MandateRelatedInformation: OBMandateRelatedInformation1;
      NumberOfPayments?: string;
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
  };
  Risk: OBRisk1;
};

export type OBWriteInternationalStandingOrderConsentResponse7 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AWAU" | "RJCT" | "AUTH" | "COND";
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      MandateRelatedInformation: OBMandateRelatedInformation1;
      NumberOfPayments?: string;
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single" | "Multiple";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
    CutOffDateTime?: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
  };
  Risk: OBRisk1;
  Links?: Links;
  Meta?: Meta;
};

export type OBWriteInternationalStandingOrderResponse7 = {
  Data: {
    InternationalStandingOrderId: string;
    ConsentId: string;
    CreationDateTime: string;
    Status: Status;
    StatusReason?: OBStatusReason[];
    StatusUpdateDateTime: string;
    Charges?: {
      ChargeBearer: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      Type: string;
      Amount: {
        Amount: string;
        Currency: string;
      };
    }[];
    Debtor?: OBCashAccountDebtor4;
    Refund?: OBDomesticRefundAccount1;
    Initiation: {
      MandateRelatedInformation: OBMandateRelatedInformation1;
      NumberOfPayments?: string;
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        Name?: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      Creditor?: {
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        LEI?: string;
        PostalAddress?: OBPostalAddress7;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        Name: string;
        SecondaryIdentification?: string;
        Proxy?: OBProxy1;
      };
      UltimateCreditor?: OBUltimateCreditor1;
      UltimateDebtor?: OBUltimateDebtor1;
      RegulatoryReporting?: OBRegulatoryReporting1[];
      RemittanceInformation?: OBRemittanceInformation2;
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "AUTH" | "AWAF" | "RJCT";
      NumberRequired?: number;
      NumberReceived?: number;
      LastUpdateDateTime?: string;
      ExpirationDateTime?: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWritePaymentDetails1 = {
  PaymentTransactionId: string;
  Status: Status;
  StatusUpdateDateTime: string;
  StatusDetail?: {
    LocalInstrument?: string;
    Status: Status;
    StatusReason?: string;
    StatusReasonDescription?: string;
  };
};

export type OBWritePaymentDetailsResponse1 = {
  Data: {
    PaymentStatus?: OBWritePaymentDetails1[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type PaymentFile = Record<string, unknown>;

export type Status =
  | "CANC" | "RCVD" | "ACTC" | "PATC" | "PDNG" | "RJCT" | "INFA" | "INCO" | "ACCP" | "ACFC"
  | "ACSP" | "ACWC" | "ACSC" | "BLCK" | "ACCC" | "ACWP";

export type Type =
  | "ADHO" | "YEAR" | "DAIL" | "FRTN" | "INDA" | "MNTH" | "QURT" | "MIAN" | "WEEK" | "WODL"
  | "FOWK" | "TWMH" | "FOMH" | "FIMH" | "ALMH" | "NONE" | "LWMH" | "LXMH" | "TWYR";

export type CategoryPurposeCode =
  | "BONU" | "CASH" | "CBLK" | "CCRD" | "CGWV" | "CIPC" | "CONC" | "CORT" | "DCRD" | "DIVI"
  | "DVPM" | "EPAY" | "FCDT" | "FCIN" | "FCOL" | "GOVT" | "GP2P" | "HEDG" | "ICCP" | "IDCP"
  | "INTC" | "INTE" | "LBOX" | "LOAN" | "MP2B" | "MP2P" | "OTHR" | "PENS" | "RPRE" | "RRCT"
  | "RVPM" | "SALA" | "SECU" | "SSBE" | "SUPP" | "SWEP" | "TAXS" | "TOPG" | "TRAD" | "TREA"
  | "VATX" | "VOST" | "WHLD" | "ZABA";

export type Code =
  | "TELE" | "EMAL" | "DNAM" | "CINC" | "COTX" | "COID" | "CUST" | "DRLC" | "EIDN" | "EWAL"
  | "PVTX" | "LEIC" | "MBNO" | "NIDN" | "CCPT" | "SHID" | "SOSE" | "TOKN" | "UBIL" | "VIPN"
  | "BIID";

export type Code2 =
  | "CINV" | "CNFA" | "CONT" | "CREN" | "DEBN" | "DISP" | "DNFA" | "HIRI" | "INVS" | "MSIN"
  | "PROF" | "PUOR" | "QUOT" | "SBIN" | "SPRR" | "TISH";

export type Code3 =
  | "CINV" | "CNFA" | "CONT" | "CREN" | "DEBN" | "DISP" | "DNFA" | "HIRI" | "INVS" | "MSIN"
  | "PROF" | "PUOR" | "QUOT" | "SBIN" | "SPRR" | "TISH" | "AROI" | "BOLD" | "CMCN" | "SOAC"
  | "TSUT" | "USAR" | "VCHR";

export type PaymentPurposeCode =
  | "BKDF" | "BKFE" | "BKFM" | "BKIP" | "BKPP" | "CBLK" | "CDCB" | "CDCD" | "CDCS" | "CDDP"
  | "CDOC" | "CDQC" | "ETUP" | "FCOL" | "MTUP" | "ACCT" | "CASH" | "COLL" | "CSDB" | "DEPT"
  | "INTC" | "INTP" | "LIMA" | "NETT" | "BFWD" | "CCIR" | "CCPC" | "CCPM" | "CCSM" | "CRDS"
  | "CRPR" | "CRSP" | "CRTL" | "EQPT" | "EQUS" | "EXPT" | "EXTD" | "FIXI" | "FWBC" | "FWCC"
  | "FWSB" | "FWSC" | "MARG" | "MBSB" | "MBSC" | "MGCC" | "MGSC" | "OCCC" | "OPBC" | "OPCC"
  | "OPSB" | "OPSC" | "OPTN" | "OTCD" | "REPO" | "RPBC" | "RPCC" | "RPSB" | "RPSC" | "RVPO"
  | "SBSC" | "SCIE" | "SCIR" | "SCRP" | "SHBC" | "SHCC" | "SHSL" | "SLEB" | "SLOA" | "SWBC"
  | "SWCC" | "SWPT" | "SWSB" | "SWSC" | "TBAS" | "TBBC" | "TBCC" | "TRCP" | "AGRT" | "AREN"
  | "BEXP" | "BOCE" | "COMC" | "CPYR" | "GDDS" | "GDSV" | "GSCB" | "LICF" | "MP2B" | "POPE"
  | "ROYA" | "SCVE" | "SERV" | "SUBS" | "SUPP" | "TRAD" | "CHAR" | "COMT" | "MP2P" | "ECPG"
  | "ECPR" | "ECPU" | "EPAY" | "CLPR" | "COMP" | "DBTC" | "GOVI" | "HLRP" | "HLST" | "INPC"
  | "INPR" | "INSC" | "INSU" | "INTE" | "LBRI" | "LIFI" | "LOAN" | "LOAR" | "PENO" | "PPTI"
  | "RELG" | "RINP" | "TRFD" | "FORW" | "FXNT" | "ADMG" | "ADVA" | "BCDM" | "BCFG" | "BLDM"
  | "BNET" | "CBFF" | "CBFR" | "CCRD" | "CDBL" | "CFEE" | "CGDD" | "CORT" | "COST" | "CPKC"
  | "DCRD" | "DSMT" | "DVPM" | "EDUC" | "FACT" | "FAND" | "FCPM" | "FEES" | "GIFT" | "GOVT"
  | "ICCP" | "IDCP" | "IHRP" | "INSM" | "IVPT" | "MCDM" | "MCFG" | "MSVC" | "NOWS" | "OCDM"
  | "OCFG" | "OFEE" | "OTHR" | "PADD" | "PTSP" | "RCKE" | "RCPT" | "REBT" | "REFU" | "RENT"
  | "REOD" | "RIMB" | "RPNT" | "RRBN" | "RRCT" | "RRTP" | "RVPM" | "SLPI" | "SPLT" | "STDY"
  | "TBAN" | "TBIL" | "TCSC" | "TELI" | "TMPG" | "TPRI" | "TPRP" | "TRNC" | "TRVC" | "WEBI"
  | "IPAY" | "IPCA" | "IPDO" | "IPEA" | "IPEC" | "IPEW" | "IPPS" | "IPRT" | "IPU2" | "IPUW"
  | "ANNI" | "CAFI" | "CFDI" | "CMDT" | "DERI" | "DIVD" | "FREX" | "HEDG" | "INVS" | "PRME"
  | "SAVG" | "SECU" | "SEPI" | "TREA" | "UNIT" | "FNET" | "FUTR" | "ANTS" | "CVCF" | "DMEQ"
  | "DNTS" | "HLTC" | "HLTI" | "HSPC" | "ICRF" | "LTCF" | "MAFC" | "MARF" | "MDCS" | "VIEW"
  | "CDEP" | "SWFP" | "SWPP" | "SWRS" | "SWUF" | "ADCS" | "AEMP" | "ALLW" | "ALMY" | "BBSC"
  | "BECH" | "BENE" | "BONU" | "CCHD" | "COMM" | "CSLP" | "GFRP" | "GVEA" | "GVEB" | "GVEC"
  | "GVED" | "GWLT" | "HREC" | "PAYR" | "PEFC" | "PENS" | "PRCP" | "RHBS" | "SALA" | "SPSP"
  | "SSBE" | "LBIN" | "LCOL" | "LFEE" | "LMEQ" | "LMFI" | "LMRK" | "LREB" | "LREV" | "LSFL"
  | "ESTX" | "FWLV" | "GSTX" | "HSTX" | "INTX" | "NITX" | "PTXP" | "RDTX" | "TAXS" | "VATX"
  | "WHLD" | "TAXR" | "B112" | "BR12" | "TLRF" | "TLRR" | "AIRB" | "BUSB" | "FERB" | "RLWY"
  | "TRPT" | "CBTV" | "ELEC" | "ENRG" | "GASB" | "NWCH" | "NWCM" | "OTLC" | "PHON" | "UBIL"
  | "WTER" | "BOND" | "CABD" | "CAEQ" | "CBCR" | "DBCR" | "DICL" | "EQTS" | "FLCR" | "EFTC"
  | "EFTD" | "MOMA" | "RAPI" | "GAMB" | "LOTT" | "AMEX" | "SASW" | "AUCO" | "PCOM" | "PDEP"
  | "PLDS" | "PLRF" | "GAFA" | "GAHO" | "CPEN" | "DEPD" | "RETL" | "DEBT" | "CRYP";

export type BeneficiaryAccountType =
  | "Business" | "BusinessSavingsAccount" | "Charity" | "Collection" | "Corporate" | "Ewallet"
  | "Government" | "Investment" | "ISA" | "JointPersonal" | "Pension" | "Personal"
  | "PersonalSavingsAccount" | "Premier" | "Wealth";

export type Status2 =
  | "RCVD" | "ACTC" | "PATC" | "PDNG" | "RJCT" | "ACCP" | "ACFC" | "ACSP" | "ACWC" | "ACSC"
  | "BLCK" | "ACCC" | "ACWP";

export type Status3 =
  | "CANC" | "RCVD" | "ACTC" | "PATC" | "PDNG" | "RJCT" | "ACCP" | "ACFC" | "ACSP" | "ACWC"
  | "ACSC" | "BLCK" | "ACCC" | "ACWP";
