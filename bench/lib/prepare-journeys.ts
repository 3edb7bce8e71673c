import type { BenchBank } from "./bank.ts";
import type { JourneyLoad } from "./journey-load.ts";
import { registerTpp } from "./register-tpp.ts";

/** What every load of journeys of a bank shares. */
export type PreparedJourneys = Omit<JourneyLoad, "concurrency" | "journeys">;

/** Registers a TPP for a load of journeys, and returns it with the bank's customers. */
export async function prepareJourneys({
  publicUrl,
  mtlsUrl,
}: Pick<BenchBank, "publicUrl" | "mtlsUrl">): Promise<PreparedJourneys> {
  const { tpp, customers } = await registerTpp({ publicUrl }, "PISP");
  return { publicUrl, mtlsUrl, tpp, customers };
}
