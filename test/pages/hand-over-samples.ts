import type { SummaryRow } from "#src/pages/consent-summary.ts";
import { cameBackPage, confirmTherePage, loginTherePage } from "#src/pages/hand-over.ts";
import { cancelledLoginPage, type OwnFrame } from "#src/pages/own-frame.ts";

/** The pages before and after a login to the bank's own pages, as a bank's own provider has it. */
export function pagesThere(frame: OwnFrame, name: string, rows: SummaryRow[]) {
  const { bankName } = frame;
  return {
    ownLoginThere: loginTherePage({ bankName, action: "/", notice: name, error: name }),
    ownConfirmThere: confirmTherePage({
      ...{ ...frame, path: "/bank/confirm/1", error: name },
      texts: { title: name, go: name, leave: name },
      confirming: rows,
    }),
    cancelledLogin: cancelledLoginPage({ bankName, homeUrl: "/" }),
    cameBack: cameBackPage({ bankName, url: "/" }),
  };
}
