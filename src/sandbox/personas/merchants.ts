import type { TransactionType } from "#src/sandbox/bank/transaction-codes.ts";

/** Merchants, with sums in pence. All names are fictional. */
export type Merchant = {
  group: string;
  name: string;
  town: string;
  /** ISO 18245 */
  categoryCode: string;
  from: number;
  to: number;
  /** The type of the transaction; by default, a card purchase. */
  type?: TransactionType;
};

const row = (
  group: string,
  name: string,
  town: string,
  categoryCode: string,
  from: number,
  to: number,
  type?: TransactionType,
): Merchant => ({ group, name, town, categoryCode, from, to, ...(type ? { type } : {}) });

/** Every merchant. A group with more rows gets more of the spending. */
export const merchants: readonly Merchant[] = [
  row("food", "Marlow & Finch Grocers", "London", "5411", 640, 6_450),
  row("food", "Greenbasket", "London", "5411", 1_210, 8_980),
  row("food", "Corner Larder", "Leeds", "5499", 180, 1_740),
  row("food", "The Butcher of Aldgate", "London", "5422", 890, 3_650),
  row("food", "Rye & Barley Bakery", "Bristol", "5462", 240, 1_120),
  row("out", "Copper Kettle Coffee", "London", "5814", 280, 940),
  row("out", "Dosa Lane", "London", "5812", 1_150, 4_860),
  row("out", "The Plough and Stars", "Bristol", "5813", 520, 3_990),
  row("out", "Noodle Post", "Manchester", "5814", 790, 2_250),
  row("out", "Odeon Lantern Cinema", "Leeds", "7832", 850, 2_900),
  row("travel", "City Trams", "London", "4111", 175, 890),
  row("travel", "Northway Rail", "York", "4112", 890, 9_650),
  row("travel", "Blackcab Now", "London", "4121", 640, 3_480),
  row("travel", "Kingsway Fuel", "Reading", "5541", 2_800, 7_600),
  row("shops", "Fernhill Department Store", "London", "5311", 1_200, 12_900),
  row("shops", "Volt & Wire Electricals", "Leeds", "5732", 1_499, 24_900),
  row("shops", "Paper Lantern Books", "Bath", "5942", 699, 3_200),
  row("shops", "Hearth Homeware", "Bristol", "5712", 950, 15_900),
  row("shops", "Oak Street Pharmacy", "London", "5912", 320, 2_480),
  row("shops", "Threadneedle Outfitters", "London", "5651", 1_499, 9_900),
  row("online", "Streamly", "streamly.example", "4899", 799, 1_299),
  row("online", "Parcelbox Marketplace", "parcelbox.example", "5999", 650, 8_900),
  row("online", "Skylark Games", "skylark.example", "5816", 299, 4_499),
  row("health", "Riverside Gym", "London", "7997", 1_200, 4_500),
  row("health", "Bright Dental Practice", "London", "8021", 2_680, 14_500),
  row("cash", "Cash machine Aldgate High St", "London", "6011", 2_000, 8_000, "CPT"),
  row("trade", "Drayton Builders Merchants", "Leeds", "5211", 4_200, 68_000),
  row("trade", "Holt Tools and Fixings", "Leeds", "5251", 1_150, 23_000),
  row("trade", "Kingsway Fuel", "Leeds", "5541", 4_500, 11_500),
  row("trade", "Office Parade", "Leeds", "5943", 890, 12_400),
  row("supply", "Highland Roastery Ltd", "Perth", "5046", 24_000, 98_000, "FPO"),
  row("supply", "Fenland Dairy Co-operative", "Ely", "5451", 9_000, 36_000, "FPO"),
  row("supply", "Millstone Flour", "Norwich", "5149", 6_500, 28_000, "FPO"),
  row("supply", "Cups and Lids Wholesale", "Derby", "5199", 4_000, 19_500, "FPO"),
];
