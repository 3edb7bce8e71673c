// By how many characters an IBAN of the country has. Source: SWIFT IBAN registry, release 100.
const countriesByLength: Readonly<Record<number, string>> = {
  15: "NO",
  16: "BE",
  18: "DK FI FK FO GL NL SD",
  19: "MK SI",
  20: "AT BA EE KZ LT LU MN XK",
  21: "CH HR LI LV",
  22: "BG BH CR DE GB GE IE ME RS VA",
  23: "AE GI IL IQ OM SO TL",
  24: "AD CZ ES MD PK RO SA SE SK TN VG",
  25: "LY PT ST",
  26: "IS TR",
  27: "BI DJ FR GR IT MC MR SM",
  28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
  29: "BR EG PS QA UA",
  30: "JO KW MU YE",
  31: "MT SC",
  32: "LC",
  33: "RU",
};

/** How long an IBAN is, by the two letters of its country. */
export const ibanLengths: ReadonlyMap<string, number> = new Map(
  Object.entries(countriesByLength).flatMap(([length, countries]) =>
    countries.split(" ").map((country) => [country, Number(length)] as const),
  ),
);

/**
 * The countries whose banks SEPA credit transfers reach. Source: European Payments Council,
 * EPC409-09: as of October 2025.
 */
export const sepaCountries: ReadonlySet<string> = new Set(
  `AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL
  NO PL PT RO RS SE SI SK SM VA`.split(/\s+/),
);

// Territories whose accounts and banks go by another country's letters.
const territories: Readonly<Record<string, string>> = {
  GB: "GG IM JE",
  FR: "BL GF GP MF MQ NC PF PM RE TF WF YT",
  FI: "AX",
};

const sovereigns = new Map(
  Object.entries(territories).flatMap(([country, all]) =>
    all.split(" ").map((territory) => [territory, country] as const),
  ),
);

/** Whether two countries' letters may stand for one another in an account and its bank. */
export const isSameCountry = (one: string, other: string): boolean =>
  (sovereigns.get(one) ?? one) === (sovereigns.get(other) ?? other);
