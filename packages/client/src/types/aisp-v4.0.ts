// Written by `node scripts/run.mjs client-types` from the bank's OpenAPI document. Do not edit.

/** The bodies of each operation, by its method and path. */
export type Operations = {
  "POST /account-access-consents": { body: OBReadConsent1; answer: OBReadConsentResponse1 };
  "GET /account-access-consents/{ConsentId}": { answer: OBReadConsentResponse1 };
  "DELETE /account-access-consents/{ConsentId}": { answer: undefined };
  "GET /accounts": { answer: OBReadAccount6 };
  "GET /accounts/{AccountId}": { answer: OBReadAccount6 };
  "GET /accounts/{AccountId}/balances": { answer: OBReadBalance1 };
  "GET /balances": { answer: OBReadBalance1 };
  "GET /accounts/{AccountId}/transactions": { answer: OBReadTransaction6 };
  "GET /transactions": { answer: OBReadTransaction6 };
  "GET /accounts/{AccountId}/product": { answer: OBReadProduct2 };
  "GET /products": { answer: OBReadProduct2 };
  "GET /accounts/{AccountId}/offers": { answer: OBReadOffer1 };
  "GET /offers": { answer: OBReadOffer1 };
  "GET /accounts/{AccountId}/party": { answer: OBReadParty2 };
  "GET /accounts/{AccountId}/parties": { answer: OBReadParty3 };
  "GET /party": { answer: OBReadParty2 };
  "GET /accounts/{AccountId}/statements": { answer: OBReadStatement2 };
  "GET /statements": { answer: OBReadStatement2 };
  "GET /accounts/{AccountId}/statements/{StatementId}": { answer: OBReadStatement2 };
  "GET /accounts/{AccountId}/statements/{StatementId}/file": { answer: Uint8Array };
  "GET /accounts/{AccountId}/statements/{StatementId}/transactions": { answer: OBReadTransaction6 };
  "GET /accounts/{AccountId}/beneficiaries": { answer: OBReadBeneficiary5 };
  "GET /beneficiaries": { answer: OBReadBeneficiary5 };
  "GET /accounts/{AccountId}/direct-debits": { answer: OBReadDirectDebit2 };
  "GET /direct-debits": { answer: OBReadDirectDebit2 };
  "GET /accounts/{AccountId}/scheduled-payments": { answer: OBReadScheduledPayment3 };
  "GET /scheduled-payments": { answer: OBReadScheduledPayment3 };
  "GET /accounts/{AccountId}/standing-orders": { answer: OBReadStandingOrder6 };
  "GET /standing-orders": { answer: OBReadStandingOrder6 };
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

export type OBAccount6 = {
  AccountId: string;
  Status?: "Deleted" | "Disabled" | "Enabled" | "Pending" | "ProForma";
  StatusUpdateDateTime?: string;
  Currency?: string;
  AccountCategory?: "Business" | "Personal";
  AccountTypeCode?: AccountTypeCode;
  Description?: string;
  Nickname?: string;
  OpeningDate?: string;
  MaturityDate?: string;
  SwitchStatus?: string;
  Account?: {
    SchemeName: string;
    Identification: string;
    Name?: string;
    SecondaryIdentification?: string;
    LEI?: string;
  }[];
  StatementFrequencyAndFormat?: StatementFrequencyAndFormat[];
  Servicer?: {
    SchemeName: string;
    Identification: string;
    Name?: string;
  };
};

export type OBBCAData1 = {
  ProductDetails?: {
    Segment?: ("ClientAccount" | "NonCommercialChaitiesClbSoc" | "NonCommercialPublicAuthGovt" | "Religious" | "SectorSpecific" | "Standard" | "Startup" | "Switcher")[];
    FeeFreeLength?: number;
    FeeFreeLengthPeriod?: "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
    Notes?: string[];
  };
  CreditInterest?: {
    TierBandSet: {
      TierBandMethod: "Banded" | "Tiered" | "Whole";
      CalculationMethod?: "Compound" | "SimpleInterest";
      Destination: "PayAway" | "SelfCredit";
      Notes?: string[];
      TierBand: {
        Identification?: string;
        TierValueMinimum: string;
        TierValueMaximum?: string;
        CalculationFrequency?: "Daily" | "HalfYearly" | "Monthly" | "Other" | "PerStatementDate" | "Quarterly" | "Weekly" | "Yearly";
        ApplicationFrequency: "Daily" | "HalfYearly" | "Monthly" | "Other" | "PerStatementDate" | "Quarterly" | "Weekly" | "Yearly";
        DepositInterestAppliedCoverage?: "Banded" | "Tiered" | "Whole";
        FixedVariableInterestRateType: "Fixed" | "Variable";
        AER: string;
        BankInterestRateType?: "Gross" | "Other";
        BankInterestRate?: string;
        Notes?: string[];
        OtherBankInterestType?: {
          Code?: string;
          Name: string;
          Description: string;
        };
        OtherApplicationFrequency?: {
          Code?: string;
          Name: string;
          Description: string;
        };
        OtherCalculationFrequency?: {
          Code?: string;
          Name: string;
          Description: string;
        };
      }[];
    }[];
  };
  Overdraft?: {
    Notes?: string[];
    OverdraftTierBandSet: {
      TierBandMethod: "Banded" | "Tiered" | "Whole";
      OverdraftType?: "Committed" | "OnDemand";
      Identification?: string;
      AuthorisedIndicator?: boolean;
      BufferAmount?: string;
      Notes?: string[];
      OverdraftTierBand: {
        Identification?: string;
        TierValueMin: string;
        TierValueMax?: string;
        EAR?: string;
        RepresentativeAPR?: string;
        AgreementLengthMin?: number;
        AgreementLengthMax?: number;
        AgreementPeriod?: "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
        OverdraftInterestChargingCoverage?: "Banded" | "Tiered" | "Whole";
        BankGuaranteedIndicator?: boolean;
        Notes?: string[];
        OverdraftFeesCharges?: {
          OverdraftFeeChargeCap?: {
            FeeType: ("AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans")[];
            MinMaxType: "Maximum" | "Minimum";
            FeeCapOccurrence?: number;
            FeeCapAmount?: string;
            CappingPeriod?: "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
            Notes?: string[];
            OtherFeeType?: {
              Code?: string;
              Name: string;
              Description: string;
            }[];
          }[];
          OverdraftFeeChargeDetail: {
            FeeType: "AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans";
            NegotiableIndicator?: boolean;
            OverdraftControlIndicator?: boolean;
            IncrementalBorrowingAmount?: string;
            FeeAmount?: string;
            FeeRate?: string;
            FeeRateType?: "Gross" | "Other";
            ApplicationFrequency: ApplicationFrequency;
            CalculationFrequency?: ApplicationFrequency;
            Notes?: string[];
            OverdraftFeeChargeCap?: {
              FeeType: ("AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans")[];
              MinMaxType: "Maximum" | "Minimum";
              FeeCapOccurrence?: number;
              FeeCapAmount?: string;
              CappingPeriod?: "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
              Notes?: string[];
              OtherFeeType?: {
                Code?: string;
                Name: string;
                Description: string;
              }[];
            }[];
            OtherFeeType?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherFeeRateType?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherApplicationFrequency?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherCalculationFrequency?: {
              Code?: string;
              Name: string;
              Description: string;
            };
          }[];
        }[];
      }[];
      OverdraftFeesCharges?: {
        OverdraftFeeChargeCap?: {
          FeeType: ("AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans")[];
          MinMaxType: "Maximum" | "Minimum";
          FeeCapOccurrence?: number;
          FeeCapAmount?: string;
          CappingPeriod?: "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
          Notes?: string[];
          OtherFeeType?: {
            Code?: string;
            Name: string;
            Description: string;
          }[];
        }[];
        OverdraftFeeChargeDetail: {
          FeeType: "AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans";
          NegotiableIndicator?: boolean;
          OverdraftControlIndicator?: boolean;
          IncrementalBorrowingAmount?: string;
          FeeAmount?: string;
          FeeRate?: string;
          FeeRateType?: "Gross" | "Other";
          ApplicationFrequency: ApplicationFrequency;
          CalculationFrequency?: ApplicationFrequency;
          Notes?: string[];
          OverdraftFeeChargeCap?: {
            FeeType: ("AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans")[];
            MinMaxType: "Maximum" | "Minimum";
            FeeCapOccurrence?: number;
            FeeCapAmount?: string;
            CappingPeriod?: "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
            Notes?: string[];
            OtherFeeType?: {
              Code?: string;
              Name: string;
              Description: string;
            }[];
          }[];
          OtherFeeType?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          OtherFeeRateType?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          OtherApplicationFrequency?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          OtherCalculationFrequency?: {
            Code?: string;
            Name: string;
            Description: string;
          };
        }[];
      }[];
    }[];
  };
  OtherFeesCharges?: {
    TariffType?: "Electronic" | "Mixed" | "Other";
    TariffName?: string;
    OtherTariffType?: {
      Code?: string;
      Name: string;
      Description: string;
    };
    FeeChargeDetail: {
      FeeCategory: "Other" | "Servicing";
      FeeType: "Other" | "ServiceCAccountFee" | "ServiceCAccountFeeMonthly" | "ServiceCAccountFeeQuarterly" | "ServiceCBusiDepAccBreakage" | "ServiceCFixedTariff" | "ServiceCMinimumMonthlyFee" | "ServiceCOther";
      NegotiableIndicator?: boolean;
      FeeAmount?: string;
      FeeRate?: string;
      FeeRateType?: "Gross" | "Other";
      ApplicationFrequency: ApplicationFrequency;
      CalculationFrequency?: ApplicationFrequency;
      Notes?: string[];
      FeeChargeCap?: {
        FeeType: ("Other" | "ServiceCAccountFee" | "ServiceCAccountFeeMonthly" | "ServiceCAccountFeeQuarterly" | "ServiceCBusiDepAccBreakage" | "ServiceCFixedTariff" | "ServiceCMinimumMonthlyFee" | "ServiceCOther")[];
        MinMaxType: "Maximum" | "Minimum";
        FeeCapOccurrence?: number;
        FeeCapAmount?: string;
        CappingPeriod?: "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
        Notes?: string[];
        OtherFeeType?: {
          Code?: string;
          Name: string;
          Description: string;
        }[];
      }[];
      OtherFeeCategoryType?: {
        Code?: string;
        Name: string;
        Description: string;
      };
      OtherFeeType?: {
        Code?: string;
        FeeCategory: "Other" | "Servicing";
        Name: string;
        Description: string;
      };
      OtherFeeRateType?: {
        Code?: string;
        Name: string;
        Description: string;
      };
      OtherApplicationFrequency?: {
        Code?: string;
        Name: string;
        Description: string;
      };
      OtherCalculationFrequency?: {
        Code?: string;
        Name: string;
        Description: string;
      };
      FeeApplicableRange?: {
        MinimumAmount?: string;
        MaximumAmount?: string;
        MinimumRate?: string;
        MaximumRate?: string;
      };
    }[];
    FeeChargeCap?: {
      FeeType: ("Other" | "ServiceCAccountFee" | "ServiceCAccountFeeMonthly" | "ServiceCAccountFeeQuarterly" | "ServiceCBusiDepAccBreakage" | "ServiceCFixedTariff" | "ServiceCMinimumMonthlyFee" | "ServiceCOther")[];
      MinMaxType: "Maximum" | "Minimum";
      FeeCapOccurrence?: number;
      FeeCapAmount?: string;
      CappingPeriod?: "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
      Notes?: string[];
      OtherFeeType?: {
        Code?: string;
        Name: string;
        Description: string;
      }[];
    }[];
  }[];
};

export type OBBankTransactionCodeStructure1 = {
  Code: string;
  SubCode: string;
};

export type OBBeneficiary5 = {
  AccountId?: string;
  BeneficiaryId?: string;
  BeneficiaryType?: "Trusted" | "Ordinary";
  Reference?: string;
  SupplementaryData?: OBSupplementaryData1;
  CreditorAgent?: {
    SchemeName?: string;
    Identification?: string;
    Name?: string;
    LEI?: string;
    PostalAddress?: OBPostalAddress7;
  };
  CreditorAccount?: {
    SchemeName: string;
    Identification: string;
    Name?: string;
    SecondaryIdentification?: string;
    Proxy?: OBProxy1;
  };
};

export type OBCurrencyExchange5 = {
  SourceCurrency: string;
  TargetCurrency?: string;
  UnitCurrency?: string;
  ExchangeRate: number;
  ContractIdentification?: string;
  QuotationDate?: string;
  InstructedAmount?: {
    Amount: string;
    Currency: string;
  };
};

export type OBDirectDebit2 = {
  AccountId: string;
  DirectDebitId?: string;
  DirectDebitStatusCode?: "ACTV" | "CANC" | "EXPI" | "SUSP";
  Name: string;
  PreviousPaymentDateTime?: string;
  PreviousPaymentAmount?: {
    Amount: string;
    Currency: string;
  };
  MandateRelatedInformation?: OBMandateRelatedInformation1;
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

export type OBExtendedProprietaryBankTransactionCode = {
  Code: string;
  Issuer?: string;
  Description?: string;
};

export type OBFrequency6 = {
  Type: Type | string;
  CountPerPeriod?: number;
  PointInTime?: string;
};

export type OBIntermediaryAgent = {
  Name?: string;
  SchemeName?: string;
  Identification?: string;
  LEI?: string;
  PostalAddress?: OBPostalAddress7;
  ProcessingStatus?: "PDNG" | "RCVD" | "ACSP" | "ACSC" | "RJCT" | "UNKN" | "CANC";
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

export type OBMerchantDetails1 = {
  MerchantName?: string;
  MerchantCategoryCode?: string;
};

export type OBPCAData1 = {
  ProductDetails?: {
    Segment?: Segment[];
    MonthlyMaximumCharge?: string;
    Notes?: string[];
  };
  CreditInterest?: {
    TierBandSet: {
      TierBandMethod: "Tiered" | "Whole";
      CalculationMethod?: "Compound" | "SimpleInterest";
      Destination?: "PayAway" | "SelfCredit";
      Notes?: string[];
      TierBand: {
        Identification?: string;
        TierValueMinimum: string;
        TierValueMaximum?: string;
        CalculationFrequency?: "Daily" | "HalfYearly" | "Monthly" | "Other" | "PerAcademicTerm" | "PerStatementDate" | "Quarterly" | "Weekly" | "Yearly";
        ApplicationFrequency: "Daily" | "HalfYearly" | "Monthly" | "Other" | "PerAcademicTerm" | "PerStatementDate" | "Quarterly" | "Weekly" | "Yearly";
        DepositInterestAppliedCoverage?: "Tiered" | "Whole";
        FixedVariableInterestRateType: "Fixed" | "Variable";
        AER: string;
        BankInterestRateType?: "Gross" | "LinkedBaseRate" | "Net" | "Other";
        BankInterestRate?: string;
        Notes?: string[];
        OtherBankInterestType?: {
          Code?: string;
          Name: string;
          Description: string;
        };
        OtherApplicationFrequency?: {
          Code?: string;
          Name: string;
          Description: string;
        };
        OtherCalculationFrequency?: {
          Code?: string;
          Name: string;
          Description: string;
        };
      }[];
    }[];
  };
  Overdraft?: {
    Notes?: string[];
    OverdraftTierBandSet: {
      TierBandMethod: "Banded" | "Tiered" | "Whole";
      OverdraftType?: "Committed" | "OnDemand" | "Other";
      Identification?: string;
      AuthorisedIndicator?: boolean;
      BufferAmount?: string;
      Notes?: string[];
      OverdraftTierBand: {
        Identification?: string;
        TierValueMin: string;
        TierValueMax?: string;
        EAR?: string;
        RepresentativeAPR?: string;
        OverdraftInterestChargingCoverage?: "Tiered" | "Whole";
        BankGuaranteedIndicator?: boolean;
        Notes?: string[];
        OverdraftFeesCharges?: {
          OverdraftFeeChargeCap?: {
            FeeType: ("AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans")[];
            MinMaxType: "Maximum" | "Minimum";
            FeeCapOccurrence?: number;
            FeeCapAmount?: string;
            CappingPeriod?: "AcademicTerm" | "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
            Notes?: string[];
            OtherFeeType?: {
              Code?: string;
              Name: string;
              Description: string;
            }[];
            OverdraftControlIndicator?: boolean;
          }[];
          OverdraftFeeChargeDetail: {
            FeeType: "AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans";
            OverdraftControlIndicator?: boolean;
            IncrementalBorrowingAmount?: string;
            FeeAmount?: string;
            FeeRate?: string;
            FeeRateType?: "Gross" | "LinkedBaseRate" | "Net" | "Other";
            ApplicationFrequency: ApplicationFrequency2;
            CalculationFrequency?: ApplicationFrequency2;
            Notes?: string[];
            OverdraftFeeChargeCap?: {
              FeeType: ("AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans")[];
              MinMaxType: "Maximum" | "Minimum";
              FeeCapOccurrence?: number;
              FeeCapAmount?: string;
              CappingPeriod?: "AcademicTerm" | "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
              Notes?: string[];
              OtherFeeType?: {
                Code?: string;
                Name: string;
                Description: string;
              }[];
              OverdraftControlIndicator?: boolean;
            };
            OtherFeeType?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherFeeRateType?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherApplicationFrequency?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherCalculationFrequency?: {
              Code?: string;
              Name: string;
              Description: string;
            };
          }[];
        }[];
      }[];
      OverdraftFeesCharges?: {
        OverdraftFeeChargeCap?: {
          FeeType: ("AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans")[];
          MinMaxType: "Maximum" | "Minimum";
          FeeCapOccurrence?: number;
          FeeCapAmount?: string;
          CappingPeriod?: "AcademicTerm" | "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
          Notes?: string[];
          OtherFeeType?: {
            Code?: string;
            Name: string;
            Description: string;
          }[];
          OverdraftControlIndicator?: boolean;
        }[];
        OverdraftFeeChargeDetail: {
          FeeType: "AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans";
          OverdraftControlIndicator?: boolean;
          IncrementalBorrowingAmount?: string;
          FeeAmount?: string;
          FeeRate?: string;
          FeeRateType?: "Gross" | "LinkedBaseRate" | "Net" | "Other";
          ApplicationFrequency: ApplicationFrequency2;
          CalculationFrequency?: ApplicationFrequency2;
          Notes?: string[];
          OverdraftFeeChargeCap?: {
            FeeType: ("AnnualReview" | "ArrangedOverdraft" | "BorrowingItem" | "EmergencyBorrowing" | "Other" | "OverdraftRenewal" | "OverdraftSetup" | "Surcharge" | "TempOverdraft" | "UnauthorisedBorrowing" | "UnauthorisedPaidTrans" | "UnauthorisedUnpaidTrans")[];
            MinMaxType: "Maximum" | "Minimum";
            FeeCapOccurrence?: number;
            FeeCapAmount?: string;
            CappingPeriod?: "AcademicTerm" | "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
            Notes?: string[];
            OtherFeeType?: {
              Code?: string;
              Name: string;
              Description: string;
            }[];
            OverdraftControlIndicator?: boolean;
          };
          OtherFeeType?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          OtherFeeRateType?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          OtherApplicationFrequency?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          OtherCalculationFrequency?: {
            Code?: string;
            Name: string;
            Description: string;
          };
        }[];
      }[];
    }[];
  };
  OtherFeesCharges?: {
    FeeChargeDetail: {
      FeeCategory: "Other" | "Servicing";
      FeeType: "Other" | "ServiceCAccountFee" | "ServiceCAccountFeeMonthly" | "ServiceCOther";
      FeeAmount?: string;
      FeeRate?: string;
      FeeRateType?: "Gross" | "LinkedBaseRate" | "Net" | "Other";
      ApplicationFrequency: ApplicationFrequency2;
      CalculationFrequency?: ApplicationFrequency2;
      Notes?: string[];
      FeeChargeCap?: {
        FeeType: ("Other" | "ServiceCAccountFee" | "ServiceCAccountFeeMonthly" | "ServiceCOther")[];
        MinMaxType: "Maximum" | "Minimum";
        FeeCapOccurrence?: number;
        FeeCapAmount?: string;
        CappingPeriod?: "AcademicTerm" | "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
        Notes?: string[];
        OtherFeeType?: {
          Code?: string;
          Name: string;
          Description: string;
        }[];
      }[];
      OtherFeeCategoryType?: {
        Code?: string;
        Name: string;
        Description: string;
      };
      OtherFeeType?: {
        Code?: string;
        FeeCategory: "Other" | "Servicing";
        Name: string;
        Description: string;
      };
      OtherFeeRateType?: {
        Code?: string;
        Name: string;
        Description: string;
      };
      OtherApplicationFrequency?: {
        Code?: string;
        Name: string;
        Description: string;
      };
      OtherCalculationFrequency?: {
        Code?: string;
        Name: string;
        Description: string;
      };
      FeeApplicableRange?: {
        MinimumAmount?: string;
        MaximumAmount?: string;
        MinimumRate?: string;
        MaximumRate?: string;
      };
    }[];
    FeeChargeCap?: {
      FeeType: ("Other" | "ServiceCAccountFee" | "ServiceCAccountFeeMonthly" | "ServiceCOther")[];
      MinMaxType: "Maximum" | "Minimum";
      FeeCapOccurrence?: number;
      FeeCapAmount?: string;
      CappingPeriod?: "AcademicTerm" | "Day" | "Half Year" | "Month" | "Quarter" | "Week" | "Year";
      Notes?: string[];
      OtherFeeType?: {
        Code?: string;
        Name: string;
        Description: string;
      }[];
    }[];
  };
};

export type OBParty2 = {
  PartyId: string;
  PartyNumber?: string;
  PartyType?: "Delegate" | "Joint" | "Sole";
  Name?: string;
  FullLegalName?: string;
  LegalStructure?: string;
  BeneficialOwnership?: boolean;
  AccountRole?: string;
  EmailAddress?: string;
  Phone?: string;
  Mobile?: string;
  Relationships?: OBPartyRelationships1;
  Address?: OBPostalAddress7[];
  LEI?: string;
};

export type OBPartyRelationships1 = {
  Account?: {
    Related: string;
    Id: string;
  };
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

export type OBReadAccount6 = {
  Data: {
    Account?: OBAccount6[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadBalance1 = {
  Data: {
    Balance: {
      AccountId: string;
      CreditDebitIndicator: "Credit" | "Debit";
      Type: "CLAV" | "CLBD" | "FWAV" | "INFO" | "ITAV" | "ITBD" | "OPAV" | "OPBD" | "PRCD" | "XPCD";
      DateTime: string;
      Amount: {
        Amount: string;
        Currency: string;
        SubType?: "BCUR" | "LCUR";
      };
      CreditLine?: {
        Included: boolean;
        Type?: "Available" | "Credit" | "Emergency" | "Pre-Agreed" | "Temporary";
        Amount?: {
          Amount: string;
          Currency: string;
        };
      }[];
      LocalAmount?: {
        Amount: string;
        Currency: string;
        SubType?: "BCUR" | "LCUR";
      };
    }[];
    TotalValue?: {
      Amount: string;
      Currency: string;
    };
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadBeneficiary5 = {
  Data: {
    Beneficiary?: OBBeneficiary5[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadConsent1 = {
  Data: {
    Permissions: Permissions[];
    ExpirationDateTime?: string;
    TransactionFromDateTime?: string;
    TransactionToDateTime?: string;
  };
  Risk: OBRisk2;
};

export type OBReadConsentResponse1 = {
  Data: {
    ConsentId: string;
    CreationDateTime: string;
    Status: "AUTH" | "AWAU" | "CANC" | "EXPD" | "RJCT";
    StatusUpdateDateTime: string;
    StatusReason?: OBStatusReason[];
    Permissions: Permissions[];
    ExpirationDateTime?: string;
    TransactionFromDateTime?: string;
    TransactionToDateTime?: string;
  };
  Risk: OBRisk2;
  Links?: Links;
  Meta?: Meta;
};

export type OBReadDataStatement2 = {
  Statement?: OBStatement2[];
};

export type OBReadDataTransaction6 = {
  Transaction?: OBTransaction6[];
};

export type OBReadDirectDebit2 = {
  Data: {
    DirectDebit?: OBDirectDebit2[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadOffer1 = {
  Data: {
    Offer?: {
      AccountId: string;
      OfferId?: string;
      OfferType?: "BalanceTransfer" | "LimitIncrease" | "MoneyTransfer" | "Other" | "PromotionalRate";
      Description?: string;
      StartDateTime?: string;
      EndDateTime?: string;
      Rate?: string;
      Value?: number;
      Term?: string;
      URL?: string;
      Amount?: {
        Amount: string;
        Currency: string;
      };
      Fee?: {
        Amount: string;
        Currency: string;
      };
    }[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadParty2 = {
  Data: {
    Party?: OBParty2;
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadParty3 = {
  Data: {
    Party?: OBParty2[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadProduct2 = {
  Data: {
    Product?: {
      AccountId: string;
      ProductName?: string;
      ProductId?: string;
      SecondaryProductId?: string;
      ProductType: "BusinessCurrentAccount" | "CommercialCreditCard" | "Other" | "PersonalCurrentAccount" | "SMELoan";
      MarketingStateId?: string;
      OtherProductType?: {
        Name: string;
        Description: string;
        ProductDetails?: {
          Segment?: Segment2[];
          FeeFreeLength?: number;
          FeeFreeLengthPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
          MonthlyMaximumCharge?: string;
          Notes?: string[];
          OtherSegment?: {
            Code?: string;
            Name: string;
            Description: string;
          };
        };
        CreditInterest?: {
          TierBandSet: {
            TierBandMethod: "INBA" | "INTI" | "INWH";
            CalculationMethod?: "ITCO" | "ITOT" | "ITSI";
            Destination: "INOT" | "INPA" | "INSC";
            Notes?: string[];
            OtherCalculationMethod?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherDestination?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            TierBand: {
              Identification?: string;
              TierValueMinimum: string;
              TierValueMaximum?: string;
              CalculationFrequency?: "FQAT" | "FQDY" | "FQHY" | "FQMY" | "FQOT" | "FQQY" | "FQSD" | "FQWY" | "FQYY";
              ApplicationFrequency: "FQAT" | "FQDY" | "FQHY" | "FQMY" | "FQOT" | "FQQY" | "FQSD" | "FQWY" | "FQYY";
              DepositInterestAppliedCoverage?: "INBA" | "INTI" | "INWH";
              FixedVariableInterestRateType: "INFI" | "INVA";
              AER: string;
              BankInterestRateType?: "INBB" | "INFR" | "INGR" | "INLR" | "INNE" | "INOT";
              BankInterestRate?: string;
              Notes?: string[];
              OtherBankInterestType?: {
                Code?: string;
                Name: string;
                Description: string;
              };
              OtherApplicationFrequency?: {
                Code?: string;
                Name: string;
                Description: string;
              };
              OtherCalculationFrequency?: {
                Code?: string;
                Name: string;
                Description: string;
              };
            }[];
          }[];
        };
        Overdraft?: {
          Notes?: string[];
          OverdraftTierBandSet: {
            TierBandMethod: "INBA" | "INTI" | "INWH";
            OverdraftType?: "OVCO" | "OVOD" | "OVOT";
            Identification?: string;
            AuthorisedIndicator?: boolean;
            BufferAmount?: string;
            Notes?: string[];
            OverdraftTierBand: {
              Identification?: string;
              TierValueMin: string;
              TierValueMax?: string;
              EAR?: string;
              AgreementLengthMin?: number;
              AgreementLengthMax?: number;
              AgreementPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
              OverdraftInterestChargingCoverage?: "INBA" | "INTI" | "INWH";
              BankGuaranteedIndicator?: boolean;
              Notes?: string[];
              OverdraftFeesCharges?: {
                OverdraftFeeChargeCap?: {
                  FeeType: ("FBAO" | "FBAR" | "FBEB" | "FBIT" | "FBOR" | "FBOS" | "FBSC" | "FBTO" | "FBUB" | "FBUT" | "FTOT" | "FTUT")[];
                  MinMaxType: "FMMN" | "FMMX";
                  FeeCapOccurrence?: number;
                  FeeCapAmount?: string;
                  CappingPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
                  Notes?: string[];
                  OtherFeeType?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  }[];
                }[];
                OverdraftFeeChargeDetail: {
                  FeeType: "FBAO" | "FBAR" | "FBEB" | "FBIT" | "FBOR" | "FBOS" | "FBSC" | "FBTO" | "FBUB" | "FBUT" | "FTOT" | "FTUT";
                  OverdraftControlIndicator?: boolean;
                  IncrementalBorrowingAmount?: string;
                  NegotiableIndicator?: boolean;
                  FeeAmount?: string;
                  FeeRate?: string;
                  FeeRateType?: "INBB" | "INFR" | "INGR" | "INLR" | "INNE" | "INOT";
                  ApplicationFrequency: ApplicationFrequency3;
                  CalculationFrequency?: ApplicationFrequency3;
                  Notes?: string[];
                  OtherFeeRateType?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  };
                  OtherApplicationFrequency?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  };
                  OtherCalculationFrequency?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  };
                  OverdraftFeeChargeCap?: {
                    FeeType: ("FBAO" | "FBAR" | "FBEB" | "FBIT" | "FBOR" | "FBOS" | "FBSC" | "FBTO" | "FBUB" | "FBUT" | "FTOT" | "FTUT")[];
                    MinMaxType: "FMMN" | "FMMX";
                    FeeCapOccurrence?: number;
                    FeeCapAmount?: string;
                    CappingPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
                    Notes?: string[];
                    OtherFeeType?: {
                      Code?: string;
                      Name: string;
                      Description: string;
                    }[];
                  }[];
                  OtherFeeType?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  };
                }[];
              }[];
            }[];
            OverdraftFeesCharges?: {
              OverdraftFeeChargeCap?: {
                FeeType: ("FBAO" | "FBAR" | "FBEB" | "FBIT" | "FBOR" | "FBOS" | "FBSC" | "FBTO" | "FBUB" | "FBUT" | "FTOT" | "FTUT")[];
                MinMaxType: "FMMN" | "FMMX";
                FeeCapOccurrence?: number;
                FeeCapAmount?: string;
                CappingPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
                Notes?: string[];
                OtherFeeType?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                }[];
              }[];
              OverdraftFeeChargeDetail: {
                FeeType: "FBAO" | "FBAR" | "FBEB" | "FBIT" | "FBOR" | "FBOS" | "FBSC" | "FBTO" | "FBUB" | "FBUT" | "FTOT" | "FTUT";
                OverdraftControlIndicator?: boolean;
                IncrementalBorrowingAmount?: string;
                NegotiableIndicator?: boolean;
                FeeAmount?: string;
                FeeRate?: string;
                FeeRateType?: "INBB" | "INFR" | "INGR" | "INLR" | "INNE" | "INOT";
                ApplicationFrequency: ApplicationFrequency3;
                CalculationFrequency?: ApplicationFrequency3;
                Notes?: string[];
                OtherFeeRateType?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                };
                OtherApplicationFrequency?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                };
                OtherCalculationFrequency?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                };
                OverdraftFeeChargeCap?: {
                  FeeType: ("FBAO" | "FBAR" | "FBEB" | "FBIT" | "FBOR" | "FBOS" | "FBSC" | "FBTO" | "FBUB" | "FBUT" | "FTOT" | "FTUT")[];
                  MinMaxType: "FMMN" | "FMMX";
                  FeeCapOccurrence?: number;
                  FeeCapAmount?: string;
                  CappingPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
                  Notes?: string[];
                  OtherFeeType?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  }[];
                }[];
                OtherFeeType?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                };
              }[];
            }[];
          }[];
        };
        LoanInterest?: {
          Notes?: string[];
          LoanInterestTierBandSet: {
            TierBandMethod: "INBA" | "INTI" | "INWH";
            Identification?: string;
            CalculationMethod: "ITCO" | "ITOT" | "ITSI";
            Notes?: string[];
            OtherCalculationMethod?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            LoanInterestTierBand: {
              Identification?: string;
              TierValueMinimum: string;
              TierValueMaximum?: string;
              TierValueMinTerm: number;
              MinTermPeriod: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
              TierValueMaxTerm?: number;
              MaxTermPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
              FixedVariableInterestRateType: "INFI" | "INVA";
              RepAPR: string;
              LoanProviderInterestRateType?: "INBB" | "INFR" | "INGR" | "INLR" | "INNE" | "INOT";
              LoanProviderInterestRate?: string;
              Notes?: string[];
              OtherLoanProviderInterestRateType?: {
                Code?: string;
                Name: string;
                Description: string;
              };
              LoanInterestFeesCharges?: {
                LoanInterestFeeChargeDetail: {
                  FeeType: "FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX";
                  NegotiableIndicator?: boolean;
                  FeeAmount?: string;
                  FeeRate?: string;
                  FeeRateType?: "INBB" | "INFR" | "INGR" | "INLR" | "INNE" | "INOT";
                  ApplicationFrequency: ApplicationFrequency3;
                  CalculationFrequency: ApplicationFrequency3;
                  Notes?: string[];
                  OtherFeeRateType?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  };
                  OtherApplicationFrequency?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  };
                  OtherCalculationFrequency?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  };
                  OtherFeeType?: {
                    Code?: string;
                    FeeCategory: "FCOT" | "FCRE" | "FCSV";
                    Name: string;
                    Description: string;
                  };
                }[];
                LoanInterestFeeChargeCap?: {
                  FeeType: ("FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX")[];
                  MinMaxType: "FMMN" | "FMMX";
                  FeeCapOccurrence?: number;
                  FeeCapAmount?: string;
                  CappingPeriod?: ApplicationFrequency3;
                  Notes?: string[];
                  OtherFeeType?: {
                    Code?: string;
                    Name: string;
                    Description: string;
                  }[];
                }[];
              }[];
            }[];
            LoanInterestFeesCharges?: {
              LoanInterestFeeChargeDetail: {
                FeeType: "FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX";
                NegotiableIndicator?: boolean;
                FeeAmount?: string;
                FeeRate?: string;
                FeeRateType?: "INBB" | "INFR" | "INGR" | "INLR" | "INNE" | "INOT";
                ApplicationFrequency: ApplicationFrequency3;
                CalculationFrequency: ApplicationFrequency3;
                Notes?: string[];
                OtherFeeRateType?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                };
                OtherApplicationFrequency?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                };
                OtherCalculationFrequency?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                };
                OtherFeeType?: {
                  Code?: string;
                  FeeCategory: "FCOT" | "FCRE" | "FCSV";
                  Name: string;
                  Description: string;
                };
              }[];
              LoanInterestFeeChargeCap?: {
                FeeType: ("FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX")[];
                MinMaxType: "FMMN" | "FMMX";
                FeeCapOccurrence?: number;
                FeeCapAmount?: string;
                CappingPeriod?: ApplicationFrequency3;
                Notes?: string[];
                OtherFeeType?: {
                  Code?: string;
                  Name: string;
                  Description: string;
                }[];
              }[];
            }[];
          }[];
        };
        Repayment?: {
          RepaymentType?: RepaymentType;
          RepaymentFrequency?: "SMDA" | "SMFL" | "SMFO" | "SMHY" | "SMMO" | "SMOT" | "SMQU" | "SMWE" | "SMYE";
          AmountType?: "RABD" | "RABL" | "RACI" | "RAFC" | "RAIO" | "RALT" | "USOT";
          Notes?: string[];
          OtherRepaymentType?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          OtherRepaymentFrequency?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          OtherAmountType?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          RepaymentFeeCharges?: {
            RepaymentFeeChargeDetail: {
              FeeType: "FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX";
              NegotiableIndicator?: boolean;
              FeeAmount?: string;
              FeeRate?: string;
              FeeRateType?: "INBB" | "INFR" | "INGR" | "INLR" | "INNE" | "INOT";
              ApplicationFrequency: ApplicationFrequency3;
              CalculationFrequency: ApplicationFrequency3;
              Notes?: string[];
              OtherFeeRateType?: {
                Code?: string;
                Name: string;
                Description: string;
              };
              OtherApplicationFrequency?: {
                Code?: string;
                Name: string;
                Description: string;
              };
              OtherCalculationFrequency?: {
                Code?: string;
                Name: string;
                Description: string;
              };
              OtherFeeType?: {
                Code?: string;
                FeeCategory: "FCOT" | "FCRE" | "FCSV";
                Name: string;
                Description: string;
              };
            }[];
            RepaymentFeeChargeCap?: {
              FeeType: ("FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX")[];
              MinMaxType: "FMMN" | "FMMX";
              FeeCapOccurrence?: number;
              FeeCapAmount?: string;
              CappingPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
              Notes?: string[];
              OtherFeeType?: {
                Code?: string;
                Name: string;
                Description: string;
              }[];
            }[];
          };
          RepaymentHoliday?: {
            MaxHolidayLength?: number;
            MaxHolidayPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
            Notes?: string[];
          }[];
        };
        OtherFeesCharges?: {
          TariffType?: "TTEL" | "TTMX" | "TTOT";
          TariffName?: string;
          OtherTariffType?: {
            Code?: string;
            Name: string;
            Description: string;
          };
          FeeChargeDetail: {
            FeeCategory: "FCOT" | "FCRE" | "FCSV";
            FeeType: "FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX";
            NegotiableIndicator?: boolean;
            FeeAmount?: string;
            FeeRate?: string;
            FeeRateType?: "INBB" | "INFR" | "INGR" | "INLR" | "INNE" | "INOT";
            ApplicationFrequency: ApplicationFrequency3;
            CalculationFrequency?: ApplicationFrequency3;
            Notes?: string[];
            OtherFeeRateType?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherApplicationFrequency?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherCalculationFrequency?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            OtherFeeType?: {
              Code?: string;
              FeeCategory: "FCOT" | "FCRE" | "FCSV";
              Name: string;
              Description: string;
            };
            FeeChargeCap?: {
              FeeType: ("FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX")[];
              MinMaxType: "FMMN" | "FMMX";
              FeeCapOccurrence?: number;
              FeeCapAmount?: string;
              CappingPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
              Notes?: string[];
              OtherFeeType?: {
                Code?: string;
                Name: string;
                Description: string;
              }[];
            }[];
            OtherFeeCategoryType?: {
              Code?: string;
              Name: string;
              Description: string;
            };
            FeeApplicableRange?: {
              MinimumAmount?: string;
              MaximumAmount?: string;
              MinimumRate?: string;
              MaximumRate?: string;
            };
          }[];
          FeeChargeCap?: {
            FeeType: ("FEPF" | "FTOT" | "FYAF" | "FYAM" | "FYAQ" | "FYCP" | "FYDB" | "FYMI" | "FYXX")[];
            MinMaxType: "FMMN" | "FMMX";
            FeeCapOccurrence?: number;
            FeeCapAmount?: string;
            CappingPeriod?: "PACT" | "PDAY" | "PHYR" | "PMTH" | "PQTR" | "PWEK" | "PYER";
            Notes?: string[];
            OtherFeeType?: {
              Code?: string;
              Name: string;
              Description: string;
            }[];
          }[];
        }[];
        SupplementaryData?: OBSupplementaryData1;
      };
      BCA?: OBBCAData1;
      PCA?: OBPCAData1;
    }[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadScheduledPayment3 = {
  Data: {
    ScheduledPayment?: OBScheduledPayment3[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadStandingOrder6 = {
  Data: {
    StandingOrder?: OBStandingOrder6[];
  };
  Links?: Links;
  Meta?: Meta;
};

export type OBReadStatement2 = {
  Data: OBReadDataStatement2;
  Links?: Links;
  Meta?: Meta;
};

export type OBReadTransaction6 = {
  Data: OBReadDataTransaction6;
  Links?: Links;
  Meta?: Meta;
};

export type OBReferredDocumentInformation = {
  Code?: Code2;
  Issuer?: string;
  Number?: string;
  RelatedDate?: string;
  LineDetails?: string[];
};

export type OBRemittanceInformation2 = {
  Structured?: OBRemittanceInformationStructured[];
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

export type OBRisk2 = Record<string, never>;

export type OBScheduledPayment3 = {
  AccountId: string;
  ScheduledPaymentId?: string;
  ScheduledPaymentDateTime: string;
  ScheduledType: "Arrival" | "Execution";
  Reference?: string;
  DebtorReference?: string;
  InstructedAmount: {
    Amount: string;
    Currency: string;
  };
  CreditorAgent?: {
    SchemeName: string;
    Identification: string;
    Name?: string;
    LEI?: string;
    PostalAddress?: OBPostalAddress7;
  };
  CreditorAccount?: {
    SchemeName: string;
    Identification: string;
    Name?: string;
    SecondaryIdentification?: string;
    Proxy?: OBProxy1;
  };
};

export type OBStandingOrder6 = {
  AccountId: string;
  StandingOrderId?: string;
  NextPaymentDateTime?: string;
  LastPaymentDateTime?: string;
  NumberOfPayments?: string;
  FirstPaymentAmount?: {
    Amount: string;
    Currency: string;
  };
  NextPaymentAmount?: {
    Amount: string;
    Currency: string;
  };
  LastPaymentAmount?: {
    Amount: string;
    Currency: string;
  };
  FinalPaymentAmount?: {
    Amount: string;
    Currency: string;
  };
  SupplementaryData?: OBSupplementaryData1;
  StandingOrderStatusCode?: "ACTV" | "CANC" | "EXPI" | "SUSP";
  MandateRelatedInformation?: OBMandateRelatedInformation1;
  RemittanceInformation?: OBRemittanceInformation2;
  CreditorAgent?: {
    SchemeName: string;
    Identification: string;
    Name?: string;
    LEI?: string;
    PostalAddress?: OBPostalAddress7;
  };
  CreditorAccount?: {
    SchemeName: string;
    Identification: string;
    Name?: string;
    SecondaryIdentification?: string;
    Proxy?: OBProxy1;
  };
};

export type OBStatement2 = {
  AccountId: string;
  StatementId?: string;
  StatementReference?: string;
  Type: "AccountClosure" | "AccountOpening" | "Annual" | "Interim" | "RegularPeriodic";
  StartDateTime: string;
  EndDateTime: string;
  CreationDateTime: string;
  StatementDescription?: string[];
  StatementBenefit?: {
    Type: string;
    Amount: {
      Amount: string;
      Currency: string;
    };
  }[];
  StatementFee?: {
    Description?: string;
    CreditDebitIndicator: "Credit" | "Debit";
    Type: string;
    Rate?: number;
    RateType?: string;
    Frequency?: string;
    Amount: {
      Amount: string;
      Currency: string;
    };
  }[];
  StatementInterest?: {
    Description?: string;
    CreditDebitIndicator: "Credit" | "Debit";
    Type: string;
    Rate?: number;
    RateType?: string;
    Frequency?: string;
    Amount: {
      Amount: string;
      Currency: string;
    };
  }[];
  StatementDateTime?: {
    DateTime: string;
    Type: string;
  }[];
  StatementRate?: {
    Rate: string;
    Type: string;
  }[];
  StatementValue?: {
    Value: string;
    Type: string;
  }[];
  StatementAmount?: {
    CreditDebitIndicator: "Credit" | "Debit";
    Type: string;
    Amount: {
      Amount: string;
      Currency: string;
      SubType?: "BCUR" | "LCUR";
    };
    LocalAmount?: {
      Amount: string;
      Currency: string;
      SubType?: "BCUR" | "LCUR";
    };
  }[];
  TotalValue?: {
    Amount: string;
    Currency: string;
  };
};

export type OBStatusReason = {
  StatusReasonCode?: string;
  StatusReasonDescription?: string;
  Path?: string;
};

export type OBSupplementaryData1 = Record<string, unknown>;

export type OBTransaction6 = {
  AccountId: string;
  TransactionId?: string;
  TransactionReference?: string;
  StatementReference?: string[];
  CreditDebitIndicator: "Credit" | "Debit";
  Status: "BOOK" | "FUTR" | "INFO" | "PDNG" | "RJCT";
  TransactionMutability?: "Mutable" | "Immutable";
  BookingDateTime: string;
  ValueDateTime?: string;
  AddressLine?: string;
  Amount: {
    Amount: string;
    Currency: string;
  };
  ChargeAmount?: {
    Amount: string;
    Currency: string;
  };
  CurrencyExchange?: OBCurrencyExchange5;
  BankTransactionCode?: OBBankTransactionCodeStructure1;
  ProprietaryBankTransactionCode?: ProprietaryBankTransactionCodeStructure1;
  CardInstrument?: OBTransactionCardInstrument1;
  SupplementaryData?: OBSupplementaryData1;
  ExtendedProprietaryBankTransactionCodes?: OBExtendedProprietaryBankTransactionCode[];
  CategoryPurposeCode?: CategoryPurposeCode;
  PaymentPurposeCode?: PaymentPurposeCode;
  TransactionInformation?: string;
  Balance?: OBTransactionCashBalance;
  MerchantDetails?: OBMerchantDetails1;
  CreditorAgent?: {
    SchemeName?: string;
    Identification?: string;
    Name?: string;
    LEI?: string;
    PostalAddress?: OBPostalAddress7;
  };
  CreditorAccount?: {
    SchemeName?: string;
    Identification?: string;
    Name?: string;
    SecondaryIdentification?: string;
    Proxy?: OBProxy1;
  };
  DebtorAgent?: {
    SchemeName?: string;
    Identification?: string;
    Name?: string;
    LEI?: string;
    PostalAddress?: OBPostalAddress7;
  };
  DebtorAccount?: {
    SchemeName?: string;
    Identification?: string;
    Name?: string;
    SecondaryIdentification?: string;
    Proxy?: OBProxy1;
  };
  UltimateCreditor?: OBUltimateCreditor1;
  UltimateDebtor?: OBUltimateDebtor1;
  IntermediaryAgent1?: OBIntermediaryAgent;
  IntermediaryAgent2?: OBIntermediaryAgent;
  IntermediaryAgent3?: OBIntermediaryAgent;
};

export type OBTransactionCardInstrument1 = {
  CardSchemeName: "AmericanExpress" | "Diners" | "Discover" | "MasterCard" | "VISA";
  AuthorisationType?: "ConsumerDevice" | "Contactless" | "None" | "PIN";
  Name?: string;
  Identification?: string;
};

export type OBTransactionCashBalance = {
  CreditDebitIndicator: "Credit" | "Debit";
  Type: "CLAV" | "CLBD" | "FWAV" | "INFO" | "ITAV" | "ITBD" | "OPAV" | "OPBD" | "PRCD" | "XPCD";
  Amount: {
    Amount: string;
    Currency: string;
  };
};

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

export type ProprietaryBankTransactionCodeStructure1 = {
  Code: string;
  Issuer?: string;
};

export type StatementFrequencyAndFormat = {
  Frequency?: "YEAR" | "DAIL" | "INDA" | "MNTH" | "QURT" | "MIAN" | "TEND" | "MOVE" | "WEEK" | "NONE" | "SLCT";
  CommunicationMethod?: "EMAL" | "FAXI" | "FILE" | "ONLI" | "POST";
  DeliveryAddress?: OBPostalAddress7;
  Format?: "DPDF" | "DXML" | "SDSH" | "WORD" | "XSLT" | "DCSV";
};

export type AccountTypeCode =
  | "CACC" | "CARD" | "CASH" | "CHAR" | "CISH" | "COMM" | "CPAC" | "LLSV" | "LOAN" | "MGLD"
  | "MOMA" | "MORT" | "NFCA" | "NREX" | "ODFT" | "ONDP" | "OTHR" | "SACC" | "SLRY" | "SVGS"
  | "TAXE" | "TRAN" | "TRAS" | "VACC" | "WALT";

export type ApplicationFrequency =
  | "ChargingPeriod" | "Daily" | "Monthly" | "OnAnniversary" | "OnClosing" | "OnOpening" | "Other"
  | "PerHour" | "PerHundredPounds" | "PerItem" | "PerOccurrence" | "PerSheet" | "PerTransaction"
  | "PerTransactionAmount" | "PerTransactionPercentage" | "Quarterly" | "SixMonthly"
  | "StatementMonthly" | "Weekly" | "Yearly";

export type Type =
  | "ADHO" | "YEAR" | "DAIL" | "FRTN" | "INDA" | "MNTH" | "QURT" | "MIAN" | "WEEK" | "WODL"
  | "FOWK" | "TWMH" | "FOMH" | "FIMH" | "ALMH" | "NONE" | "LWMH" | "LXMH" | "TWYR";

export type CategoryPurposeCode =
  | "BONU" | "CASH" | "CBLK" | "CCRD" | "CGWV" | "CIPC" | "CONC" | "CORT" | "DCRD" | "DIVI"
  | "DVPM" | "EPAY" | "FCDT" | "FCIN" | "FCOL" | "GOVT" | "GP2P" | "HEDG" | "ICCP" | "IDCP"
  | "INTC" | "INTE" | "LBOX" | "LOAN" | "MP2B" | "MP2P" | "OTHR" | "PENS" | "RPRE" | "RRCT"
  | "RVPM" | "SALA" | "SECU" | "SSBE" | "SUPP" | "SWEP" | "TAXS" | "TOPG" | "TRAD" | "TREA"
  | "VATX" | "VOST" | "WHLD" | "ZABA";

export type Segment =
  | "Basic" | "BenefitAndReward" | "Cashback" | "CreditInterest" | "General" | "Graduate"
  | "Other" | "Overdraft" | "Packaged" | "Premium" | "Reward" | "Student" | "YoungAdult" | "Youth";

export type ApplicationFrequency2 =
  | "AcademicTerm" | "AccountClosing" | "AccountOpening" | "ChargingPeriod" | "Daily" | "Monthly"
  | "OnAccountAnniversary" | "Other" | "PerHour" | "PerItem" | "PerOccurrence" | "PerSheet"
  | "PerTransaction" | "PerTransactionAmount" | "PerTransactionPercentage" | "Quarterly"
  | "SixMonthly" | "StatementMonthly" | "Weekly" | "Yearly";

export type Code =
  | "TELE" | "EMAL" | "DNAM" | "CINC" | "COTX" | "COID" | "CUST" | "DRLC" | "EIDN" | "EWAL"
  | "PVTX" | "LEIC" | "MBNO" | "NIDN" | "CCPT" | "SHID" | "SOSE" | "TOKN" | "UBIL" | "VIPN"
  | "BIID";

export type Permissions =
  | "ReadAccountsBasic" | "ReadAccountsDetail" | "ReadBalances" | "ReadBeneficiariesBasic"
  | "ReadBeneficiariesDetail" | "ReadDirectDebits" | "ReadOffers" | "ReadPAN" | "ReadParty"
  | "ReadPartyPSU" | "ReadProducts" | "ReadScheduledPaymentsBasic" | "ReadScheduledPaymentsDetail"
  | "ReadStandingOrdersBasic" | "ReadStandingOrdersDetail" | "ReadStatementsBasic"
  | "ReadStatementsDetail" | "ReadTransactionsBasic" | "ReadTransactionsCredits"
  | "ReadTransactionsDebits" | "ReadTransactionsDetail";

export type Segment2 =
  | "GEAS" | "GEBA" | "GEBR" | "GEBU" | "GECI" | "GECS" | "GEFB" | "GEFG" | "GEG" | "GEGR"
  | "GEGS" | "GEOT" | "GEOV" | "GEPA" | "GEPR" | "GERE" | "GEST" | "GEYA" | "GEYO" | "PSCA"
  | "PSES" | "PSNC" | "PSNP" | "PSRG" | "PSSS" | "PSST" | "PSSW";

export type ApplicationFrequency3 =
  | "FEAC" | "FEAO" | "FECP" | "FEDA" | "FEHO" | "FEI" | "FEMO" | "FEOA" | "FEOT" | "FEPC"
  | "FEPH" | "FEPO" | "FEPS" | "FEPT" | "FEPTA" | "FEPTP" | "FEQU" | "FESM" | "FEST" | "FEWE"
  | "FEYE";

export type RepaymentType =
  | "USBA" | "USBU" | "USCI" | "USCS" | "USER" | "USFA" | "USFB" | "USFI" | "USIO" | "USOT"
  | "USPF" | "USRW" | "USSL";

export type Code2 =
  | "AROI" | "BOLD" | "CINV" | "CMCN" | "CNFA" | "CONT" | "CREN" | "DEBN" | "DISP" | "DNFA"
  | "HIRI" | "INVS" | "MSIN" | "PROF" | "PUOR" | "QUOT" | "SBIN" | "SOAC" | "SPRR" | "TISH"
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
