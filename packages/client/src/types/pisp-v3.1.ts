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

export type LinksVrp = {
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

export type MetaVrp = Record<string, unknown>;

export type OBCashAccountCreditor3 = {
  SchemeName: string;
  Identification: string;
  SecondaryIdentification?: string;
  Name: string;
};

export type OBCashAccountDebtor4 = {
  SchemeName?: string;
  Identification?: string;
  Name?: string;
  SecondaryIdentification?: string;
};

export type OBCashAccountDebtorWithName = {
  SchemeName: string;
  Identification: string;
  SecondaryIdentification?: string;
  Name: string;
};

export type OBDomesticRefundAccount1 = {
  Account: {
    SchemeName: string;
    Identification: string;
    SecondaryIdentification?: string;
    Name: string;
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
    Status: "Authorised" | "AwaitingAuthorisation" | "Rejected";
    ReadRefundAccount?: "No" | "Yes";
    ControlParameters: OBDomesticVRPControlParameters;
    Initiation: OBDomesticVRPInitiation;
    DebtorAccount?: OBCashAccountDebtorWithName;
  };
  Risk: OBRisk1;
  Links: LinksVrp;
  Meta: MetaVrp;
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
        Status: string;
        StatusReason?: "Cancelled" | "PendingFailingSettlement" | "PendingSettlement" | "Proprietary" | "ProprietaryRejection" | "Suspended" | "Unmatched";
        StatusReasonDescription?: string;
      };
    }[];
  };
  Links: LinksVrp;
  Meta: MetaVrp;
};

export type OBDomesticVRPInitiation = {
  DebtorAccount?: OBCashAccountDebtorWithName;
  CreditorAccount?: OBCashAccountCreditor3;
  CreditorPostalAddress?: OBPostalAddress6;
  RemittanceInformation?: {
    Unstructured?: string;
    Reference?: string;
  };
};

export type OBDomesticVRPInstruction = {
  InstructionIdentification: string;
  EndToEndIdentification: string;
  RemittanceInformation?: {
    Unstructured?: string;
    Reference?: string;
  };
  LocalInstrument?: string;
  InstructedAmount: {
    Amount: string;
    Currency: string;
  };
  CreditorPostalAddress?: OBPostalAddress6;
  CreditorAccount: OBCashAccountCreditor3;
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
    Status: "Pending" | "AcceptedSettlementInProcess" | "AcceptedSettlementCompleted" | "AcceptedWithoutPosting" | "AcceptedCreditSettlementCompleted" | "Rejected";
    StatusReason?: string;
    StatusReasonDescription?: string;
    ExpectedExecutionDateTime?: string;
    ExpectedSettlementDateTime?: string;
    Refund?: OBCashAccountDebtorWithName;
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
  Links: LinksVrp;
  Meta: MetaVrp;
};

export type OBError1 = {
  ErrorCode: string;
  Message: string;
  Path?: string;
  Url?: string;
};

export type OBErrorResponse1 = {
  Code: string;
  Id?: string;
  Message: string;
  Errors: OBError1[];
};

export type OBPostalAddress6 = {
  AddressType?: "Business" | "Correspondence" | "DeliveryTo" | "MailTo" | "POBox" | "Postal" | "Residential" | "Statement";
  Department?: string;
  SubDepartment?: string;
  StreetName?: string;
  BuildingNumber?: string;
  PostCode?: string;
  CountrySubDivision?: string;
  TownName?: string;
  Country?: string;
  AddressLine?: string[];
};

export type OBRisk1 = {
  PaymentContextCode?: "BillingGoodsAndServicesInAdvance" | "BillingGoodsAndServicesInArrears" | "EcommerceMerchantInitiatedPayment" | "FaceToFacePointOfSale" | "TransferToSelf" | "TransferToThirdParty" | "BillPayment" | "EcommerceGoods" | "EcommerceServices" | "PartyToParty" | "PispPayee" | "Other";
  MerchantCategoryCode?: string;
  MerchantCustomerIdentification?: string;
  ContractPresentInidicator?: boolean;
  BeneficiaryPrepopulatedIndicator?: boolean;
  PaymentPurposeCode?: string;
  BeneficiaryAccountType?: BeneficiaryAccountType;
  DeliveryAddress?: {
    StreetName?: string;
    BuildingNumber?: string;
    PostCode?: string;
    CountrySubDivision?: string;
    TownName: string;
    Country: string;
    AddressLine?: string[];
  };
};

export type OBSCASupportData1 = {
  RequestedSCAExemptionType?: "BillPayment" | "ContactlessTravel" | "EcommerceGoods" | "EcommerceServices" | "Kiosk" | "Parking" | "PartyToParty";
  AppliedAuthenticationApproach?: "CA" | "SCA";
  ReferencePaymentOrderId?: string;
};

export type OBSupplementaryData1 = Record<string, unknown>;

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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      CreditorPostalAddress?: OBPostalAddress6;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification: string;
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      CreditorPostalAddress?: OBPostalAddress6;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification: string;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Authorised" | "AwaitingAuthorisation" | "Consumed" | "Rejected";
    StatusUpdateDateTime: string;
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      CreditorPostalAddress?: OBPostalAddress6;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification: string;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Pending" | "AcceptedSettlementInProcess" | "AcceptedSettlementCompleted" | "AcceptedWithoutPosting" | "AcceptedCreditSettlementCompleted" | "Rejected";
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      CreditorPostalAddress?: OBPostalAddress6;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification: string;
    };
    MultiAuthorisation?: {
      Status: "Authorised" | "AwaitingFurtherAuthorisation" | "Rejected";
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      CreditorPostalAddress?: OBPostalAddress6;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      CreditorPostalAddress?: OBPostalAddress6;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Authorised" | "AwaitingAuthorisation" | "Consumed" | "Rejected";
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      CreditorPostalAddress?: OBPostalAddress6;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Cancelled" | "InitiationCompleted" | "InitiationFailed" | "InitiationPending";
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      CreditorPostalAddress?: OBPostalAddress6;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
    };
    MultiAuthorisation?: {
      Status: "Authorised" | "AwaitingFurtherAuthorisation" | "Rejected";
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
      Frequency: string;
      Reference?: string;
      NumberOfPayments?: string;
      FirstPaymentDateTime: string;
      FinalPaymentDateTime?: string;
      RecurringPaymentDateTime?: string;
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
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
      Frequency: string;
      Reference?: string;
      NumberOfPayments?: string;
      FirstPaymentDateTime: string;
      FinalPaymentDateTime?: string;
      RecurringPaymentDateTime?: string;
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Authorised" | "AwaitingAuthorisation" | "Consumed" | "Rejected";
    StatusUpdateDateTime: string;
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      Frequency: string;
      Reference?: string;
      NumberOfPayments?: string;
      FirstPaymentDateTime: string;
      FinalPaymentDateTime?: string;
      RecurringPaymentDateTime?: string;
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Cancelled" | "InitiationCompleted" | "InitiationFailed" | "InitiationPending";
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
      Frequency: string;
      Reference?: string;
      NumberOfPayments?: string;
      FirstPaymentDateTime: string;
      FinalPaymentDateTime?: string;
      RecurringPaymentDateTime?: string;
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
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "Authorised" | "AwaitingFurtherAuthorisation" | "Rejected";
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
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
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
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
      CompletionDateTime?: string;
    };
    SCASupportData?: OBSCASupportData1;
  };
};

export type OBWriteFileConsentResponse4 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AwaitingUpload" | "Authorised" | "AwaitingAuthorisation" | "Consumed" | "Rejected";
    StatusUpdateDateTime: string;
    Initiation: {
      FileType: string;
      FileHash: string;
      FileReference?: string;
      NumberOfTransactions?: string;
      ControlSum?: number;
      RequestedExecutionDateTime?: string;
      LocalInstrument?: string;
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "InitiationPending" | "InitiationCompleted" | "InitiationFailed";
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
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "Authorised" | "AwaitingFurtherAuthorisation" | "Rejected";
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
      Purpose?: string;
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
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification: string;
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
      Purpose?: string;
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
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification: string;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Authorised" | "AwaitingAuthorisation" | "Consumed" | "Rejected";
    StatusUpdateDateTime: string;
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      Purpose?: string;
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
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification: string;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Pending" | "AcceptedSettlementInProcess" | "AcceptedSettlementCompleted" | "AcceptedWithoutPosting" | "AcceptedCreditSettlementCompleted" | "Rejected";
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
    Refund?: {
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      Agent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      Account: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
    };
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      Purpose?: string;
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
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification: string;
    };
    MultiAuthorisation?: {
      Status: "Authorised" | "AwaitingFurtherAuthorisation" | "Rejected";
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
      Purpose?: string;
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
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
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
      Purpose?: string;
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
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Authorised" | "AwaitingAuthorisation" | "Consumed" | "Rejected";
    StatusUpdateDateTime: string;
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      Purpose?: string;
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
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Cancelled" | "InitiationCompleted" | "InitiationFailed" | "InitiationPending";
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
    Refund?: {
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      Agent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      Account: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
    };
    Initiation: {
      InstructionIdentification: string;
      LocalInstrument?: string;
      InstructionPriority?: "Normal" | "Urgent";
      Purpose?: string;
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
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      RemittanceInformation?: {
        Unstructured?: string;
        Reference?: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
      EndToEndIdentification?: string;
      RequestedExecutionDateTime: string;
    };
    MultiAuthorisation?: {
      Status: "Authorised" | "AwaitingFurtherAuthorisation" | "Rejected";
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
      Frequency: string;
      Reference?: string;
      NumberOfPayments?: string;
      FirstPaymentDateTime: string;
      FinalPaymentDateTime?: string;
      Purpose?: string;
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
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
      Frequency: string;
      Reference?: string;
      NumberOfPayments?: string;
      FirstPaymentDateTime: string;
      FinalPaymentDateTime?: string;
      Purpose?: string;
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Authorised" | "AwaitingAuthorisation" | "Consumed" | "Rejected";
    StatusUpdateDateTime: string;
    Permission: "Create";
    ReadRefundAccount?: "No" | "Yes";
    Initiation: {
      Frequency: string;
      Reference?: string;
      NumberOfPayments?: string;
      FirstPaymentDateTime: string;
      FinalPaymentDateTime?: string;
      Purpose?: string;
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    Authorisation?: {
      AuthorisationType: "Any" | "Single";
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
    Status: "Cancelled" | "InitiationCompleted" | "InitiationFailed" | "InitiationPending";
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
    Refund?: {
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      Agent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      Account: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
    };
    Initiation: {
      Frequency: string;
      Reference?: string;
      NumberOfPayments?: string;
      FirstPaymentDateTime: string;
      FinalPaymentDateTime?: string;
      Purpose?: string;
      ExtendedPurpose?: string;
      ChargeBearer?: "BorneByCreditor" | "BorneByDebtor" | "FollowingServiceLevel" | "Shared";
      CurrencyOfTransfer: string;
      DestinationCountryCode?: string;
      InstructedAmount: {
        Amount: string;
        Currency: string;
      };
      Creditor?: {
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAgent?: {
        SchemeName?: string;
        Identification?: string;
        Name?: string;
        PostalAddress?: OBPostalAddress6;
      };
      CreditorAccount: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name: string;
      };
      DebtorAccount?: {
        SchemeName: string;
        Identification: string;
        SecondaryIdentification?: string;
        Name?: string;
      };
      SupplementaryData?: OBSupplementaryData1;
    };
    MultiAuthorisation?: {
      Status: "Authorised" | "AwaitingFurtherAuthorisation" | "Rejected";
      NumberRequired?: number;
      NumberReceived?: number;
      LastUpdateDateTime?: string;
      ExpirationDateTime?: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBWritePaymentDetailsResponse1 = {
  Data: {
    PaymentStatus?: {
      PaymentTransactionId: string;
      Status: Status;
      StatusUpdateDateTime: string;
      StatusDetail?: {
        LocalInstrument?: string;
        Status: string;
        StatusReason?: "Cancelled" | "PendingFailingSettlement" | "PendingSettlement" | "Proprietary" | "ProprietaryRejection" | "Suspended" | "Unmatched";
        StatusReasonDescription?: string;
      };
    }[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type PaymentFile = Record<string, unknown>;

export type Status =
  | "Accepted" | "AcceptedCancellationRequest" | "AcceptedCreditSettlementCompleted"
  | "AcceptedCustomerProfile" | "AcceptedFundsChecked" | "AcceptedSettlementCompleted"
  | "AcceptedSettlementInProcess" | "AcceptedTechnicalValidation" | "AcceptedWithChange"
  | "AcceptedWithoutPosting" | "Cancelled" | "NoCancellationProcess"
  | "PartiallyAcceptedCancellationRequest" | "PartiallyAcceptedTechnicalCorrect"
  | "PaymentCancelled" | "Pending" | "PendingCancellationRequest" | "Received" | "Rejected"
  | "RejectedCancellationRequest";

export type BeneficiaryAccountType =
  | "Business" | "BusinessSavingsAccount" | "Charity" | "Collection" | "Corporate" | "Ewallet"
  | "Government" | "Investment" | "ISA" | "JointPersonal" | "Pension" | "Personal"
  | "PersonalSavingsAccount" | "Premier" | "Wealth";
