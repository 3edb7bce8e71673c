/**
 * The value of a euro in each currency, around which the sandbox's rates vary. Source: European
 * Central Bank, euro foreign exchange reference rates: those of 31 December 2024. The currencies of
 * the Gulf and Jordan follow their pegs to the US dollar on that day.
 */
export const eurosIn: Readonly<Record<string, string>> = {
  AED: "3.81536",
  AUD: "1.6772",
  BHD: "0.390626",
  CAD: "1.4948",
  CHF: "0.9412",
  CNY: "7.5833",
  CZK: "25.185",
  DKK: "7.4578",
  EUR: "1",
  GBP: "0.82918",
  HKD: "8.0686",
  HUF: "411.35",
  INR: "88.9335",
  JOD: "0.736580",
  JPY: "163.06",
  NOK: "11.795",
  NZD: "1.8532",
  PLN: "4.275",
  SAR: "3.895875",
  SEK: "11.459",
  SGD: "1.4164",
  USD: "1.0389",
  ZAR: "19.6188",
};

/** The currencies that the sandbox bank buys, sells and sends. */
export const exchangeCurrencies: readonly string[] = Object.keys(eurosIn);
