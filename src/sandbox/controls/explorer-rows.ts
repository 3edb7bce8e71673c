import Type from "typebox";
import type { ControlRow } from "./control-row.ts";
import {
  type ExplorerCall,
  type ExplorerConsent,
  type ExplorerHeadersCall,
  explorerAnswer,
  explorerCall,
  explorerConsent,
  explorerHeadersAnswer,
  explorerHeadersCall,
} from "./explorer.ts";

/** The operations behind the forms of the documentation. */
export const explorerRows: readonly ControlRow[] = [
  {
    route: ["POST", "/explorer"],
    operationId: "explore",
    summary:
      "Sends a call as the explorer TPP of a security profile, with token and signature added.",
    request: explorerCall,
    response: { status: 200, schema: explorerAnswer },
    handle: ({ explorer }, body: ExplorerCall) => explorer.explore(body),
  },
  {
    route: ["POST", "/explorer/headers"],
    operationId: "makeHeaders",
    summary:
      "Makes the token, the signature and the idempotency key for a call that you send yourself.",
    request: explorerHeadersCall,
    response: { status: 200, schema: explorerHeadersAnswer },
    handle: ({ explorer }, body: ExplorerHeadersCall) => explorer.headersOf(body),
  },
  {
    route: ["POST", "/explorer/approvals"],
    operationId: "approveConsent",
    summary: "Approves a consent of the explorer TPP of a security profile, as the first persona.",
    request: explorerConsent,
    response: {
      status: 200,
      schema: Type.Object({
        consentId: Type.String({ description: "The consent." }),
        customer: Type.String({ description: "The login of the persona who approved it." }),
      }),
    },
    handle: ({ explorer }, body: ExplorerConsent) => explorer.approveConsent(body),
  },
];
