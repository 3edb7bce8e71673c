import type { Caller, ListedDocument } from "#src/pages/portal/api-document.ts";
import type { Block, PortalPage } from "#src/pages/portal/blocks.ts";
import { referencePages } from "#src/pages/portal/reference.ts";
import { scenarioPage } from "#src/sandbox/scenarios/scenarios-page.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { guidePages } from "./guides.ts";
import { errorTable } from "./operation-errors.ts";
import { resourceAbout } from "./resource-about.ts";

/** What the pages of the portal are made of. */
type PortalParts = {
  bankName: string;
  documents: readonly ListedDocument[];
  versions: readonly ApiVersion[];
  caller: Caller;
};

/** Every page of the portal, in the order of the navigation. */
export function portalPages(parts: PortalParts): PortalPage[] {
  const { documents, caller } = parts;
  const reference = referencePages({ documents, about: resourceAbout, caller });
  // the guides are about the sandbox, and a production bank has a portal of its own for these
  const guides = caller.profiles ? [...guidePages(caller.publicUrl), scenarioPage()] : [];
  return [overview(parts, guides), ...guides, headersPage, errorsPage(parts), ...reference];
}

const startPart = "Getting started";

const common = { part: startPart, isListed: true, hasForms: false };

function overview(
  { bankName, documents, caller }: PortalParts,
  guides: readonly PortalPage[],
): PortalPage {
  return {
    ...common,
    path: "/docs",
    title: "Documentation",
    about: `How to build on the Open Banking UK interface of ${bankName}.`,
    blocks: () => [
      { is: "lead", text: `How to build on the Open Banking UK interface of ${bankName}.` },
      ...(guides.length > 0 ? guideList(guides) : []),
      { is: "heading", level: 2, id: "reference", text: "API reference" },
      {
        is: "table",
        head: ["API", "Version", "OpenAPI document"],
        rows: documents.map(({ id, url, document: { info } }) => [
          `[${info.title}](/docs/api/${id})`,
          info.version,
          `[${id}.json](${url})`,
        ]),
      },
      {
        is: "text",
        text: "What all APIs share: [headers](/docs/headers), [errors](/docs/errors).",
      },
      ...(caller.profiles ? sandboxText : []),
    ],
  };
}

const guideList = (guides: readonly PortalPage[]): Block[] => [
  { is: "heading", level: 2, id: "guides", text: "Guides" },
  {
    is: "table",
    head: ["Guide", "What you find"],
    rows: guides.map(({ title, path, about }) => [`[${title}](${path})`, about]),
  },
];

const sandboxText: Block[] = [
  {
    is: "text",
    text:
      "Calls can be tried on the page of each resource: the sandbox signs them, fetches their " +
      "tokens and approves consents for you. [Scenarios](/docs/scenarios) lists the payees and " +
      "amounts that make a payment late, refused or returned.",
  },
];

const headersPage: PortalPage = {
  ...common,
  path: "/docs/headers",
  title: "Headers of every request",
  about: "The request and response headers that all APIs share.",
  blocks: () => [
    { is: "lead", text: "The request and response headers that all APIs share." },
    { is: "heading", level: 2, id: "request", text: "Request" },
    {
      is: "table",
      head: ["Header", "When", "What it is"],
      rows: [
        ["`Authorization`", "always", "`Bearer` and an access token"],
        [
          "`x-fapi-interaction-id`",
          "wanted",
          "a UUID of yours; the answer repeats it, and the bank's log finds the request by it",
        ],
        [
          "`x-fapi-auth-date`",
          "if you know it",
          "when the customer last logged in to you: `Sun, 10 Sep 2017 19:43:31 GMT`",
        ],
        ["`x-fapi-customer-ip-address`", "if the customer is present", "the customer's IP address"],
        [
          "`x-customer-user-agent`",
          "if the customer is present",
          "the `User-Agent` of the customer's browser or app",
        ],
        [
          "`x-idempotency-key`",
          "POST of payments",
          "up to 40 characters, new for each new request, the same when you repeat one",
        ],
        [
          "`x-jws-signature`",
          "POST of payments",
          "a detached JWS (PS256) of the exact bytes of the body",
        ],
      ],
    },
    { is: "heading", level: 2, id: "response", text: "Response" },
    {
      is: "table",
      head: ["Header", "When", "What it is"],
      rows: [
        [
          "`x-fapi-interaction-id`",
          "always",
          "yours, or a new one: quote it when you report a problem",
        ],
        [
          "`x-jws-signature`",
          "payments, and events that are signed",
          "the bank's detached JWS of the exact bytes of the body",
        ],
        [
          "`RateLimit-Policy`, `RateLimit`",
          "with a rate limit",
          "how many requests you may make, and how many are left",
        ],
        ["`Retry-After`", "429 and 503", "seconds to wait before you repeat the request"],
      ],
    },
  ],
};

function errorsPage({ versions }: PortalParts): PortalPage {
  return {
    ...common,
    path: "/docs/errors",
    title: "Errors",
    about: "Every error code, its cause and what to do.",
    blocks: () => [
      {
        is: "lead",
        text:
          "An error has a status and a body with one or more entries: `ErrorCode`, `Message`, and " +
          "`Path` for the member, header or claim that is wrong.",
      },
      { is: "heading", level: 2, id: "codes", text: "Codes" },
      errorTable(versions),
    ],
  };
}
