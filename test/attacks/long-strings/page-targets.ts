import type { World } from "#test/attacks/fuzz/world.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { fitBody, mostBytes } from "./cut.ts";
import type { Target } from "./target.ts";

type Form = { action: string; fields: Map<string, string> };

/**
 * What each form below `/bank` reads. A page with the form is open only to a customer who has the
 * thing, so a form with the fields is sent for things that exist and for things that do not.
 */
const ownForms: Readonly<Record<string, readonly string[]>> = {
  "/bank/approvals/:id": ["decision"],
  "/bank/approvals/:id/decline": ["decision"],
  "/bank/upcoming/:id": ["decision"],
  "/bank/direct-debits/:id": ["decision"],
  "/bank/paid/:id": ["decision"],
  "/bank/payees/:id": ["decision", "name", "trusted"],
  "/bank/payees/:id/remove": ["decision"],
  "/bank/passkeys/new": ["decision", "name"],
  "/bank/passkeys/:id/add": ["decision", "passkey"],
  "/bank/passkeys/:id": ["decision"],
  "/bank/connections/:id": ["decision"],
  "/bank/connections/:id/accounts/:accountId": ["decision"],
  "/bank/permissions/:id": ["decision"],
  "/bank/confirm/:id": ["decision", "code", "passkey", "challenge"],
};

/** The forms of the sandbox's own pages. */
const sandboxForms: Readonly<Record<string, readonly string[]>> = {
  "/sandbox/robust": ["act", "client", "name"],
  "/sandbox/acts": ["id", "act", "reason", "status", "amount", "days"],
  "/sandbox/customers": ["act", "id", "text", "shift"],
  "/sandbox/tpps": ["name", "role", "redirectUri"],
  "/sandbox/app": ["id", "digits", "decision"],
  "/sandbox/judge": ["text", "signature", "clientId"],
  "/worlds": ["act", "name", "start", "frozen", "snapshot"],
};

const formType = "application/x-www-form-urlencoded";

/** Each field of each form of a customer who has logged in, and of the sandbox's own pages. */
export async function pageTargets(world: World): Promise<Target[]> {
  const { publicUrl } = world.address;
  const loggedIn = sessionOf(world);
  const known = await knownForms(await loggedIn(), publicUrl);
  const own = Object.entries(ownForms).flatMap(([route, fields]) => {
    const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`);
    const found = known.find(({ action }) => pattern.test(action));
    const form = found ?? { action: route.replaceAll(/:\w+/g, "none"), fields: new Map() };
    return targetsOf(route, form, fields);
  });
  const sandbox = Object.entries(sandboxForms).flatMap(([route, fields]) =>
    targetsOf(route, { action: route, fields: new Map() }, fields),
  );
  return [
    ...own,
    ...targetsOf("/bank/logout", { action: "/bank/logout", fields: new Map() }, []),
    ...sandbox,
  ];

  function targetsOf(route: string, { action, fields }: Form, names: readonly string[]): Target[] {
    const isOwn = route.startsWith("/bank");
    const all = new Map([...names.map((name): [string, string] => [name, ""]), ...fields]);
    if (isOwn) all.set("csrf", "");
    return [...all.keys()].map((field) => ({
      name: `POST ${route} form field ${field}`,
      route: `POST ${route}`,
      isBody: true,
      ...(isOwn && field !== "csrf" ? { isForm: true } : {}),
      async make(text) {
        const visitor = isOwn ? await loggedIn() : null;
        if (visitor) all.set("csrf", csrfOf(visitor.shown.body));
        const write = (part: string): Buffer => {
          const sent = [...all].map(([name, value]) => [name, name === field ? part : value]);
          return Buffer.from(new URLSearchParams(sent).toString());
        };
        const target = `${publicUrl}${action}`;
        return {
          number: 0,
          changes: [],
          from: `POST ${route}`,
          method: "POST",
          url: target,
          headers: {
            accept: "text/html",
            "content-type": formType,
            origin: publicUrl,
            ...(visitor ? { cookie: visitor.cookiesFor(target) } : {}),
          },
          body: await fitBody(text.toWellFormed(), mostBytes.page, write),
        };
      },
    }));
  }
}

// shorter than the bank keeps the session of an idle customer
const sessionMs = 120_000;

/** Makes the function that returns a browser in which a customer is logged in. */
function sessionOf({ address, strangers }: World): () => Promise<Visitor> {
  let session: { visitor: Promise<Visitor>; until: number } | null = null;
  const logIn = async (): Promise<Visitor> => {
    for (const { login, password } of strangers) {
      const visitor = new Visitor(address);
      await visitor.open(`${address.publicUrl}/bank/login`);
      await visitor.submit({ login, password, decision: "continue" });
      // others confirm in the app
      if (visitor.step === "factor" && !visitor.isInApp) await visitor.confirm();
      if (visitor.shown.body.includes("/bank/logout")) return visitor;
    }
    throw new Error("no customer can log in to the bank's own pages");
  };
  return () => {
    if (session === null || session.until < performance.now()) {
      session = { visitor: logIn(), until: performance.now() + sessionMs };
    }
    return session.visitor;
  };
}

const csrfOf = (html: string): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";

const pagesAtMost = 60;

/** Follows the links of the customer's pages, and lists the forms there. */
async function knownForms(visitor: Visitor, publicUrl: string): Promise<Form[]> {
  const forms: Form[] = [];
  const paths = new Set(["/bank", "/bank/payees", "/bank/passkeys", "/bank/direct-debits"]);
  for (const path of paths) {
    await visitor.open(publicUrl + path);
    const { body, headers } = visitor.shown;
    if (!headers.get("content-type")?.includes("html")) continue;
    for (const [, link = ""] of body.matchAll(/href="(\/bank\/[^"?#]+)"/g)) {
      if (paths.size < pagesAtMost) paths.add(link);
    }
    for (const [, head = "", inner = ""] of body.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)) {
      if (!head.includes('method="post"')) continue;
      const action = /\saction="([^"]*)"/.exec(head)?.[1] ?? path;
      const fields = new Map<string, string>();
      for (const [input] of inner.matchAll(/<(?:input|button|textarea|select)\s[^>]*>/g)) {
        const name = /\sname="([^"]*)"/.exec(input)?.[1];
        if (name !== undefined) fields.set(name, /\svalue="([^"]*)"/.exec(input)?.[1] ?? "");
      }
      forms.push({ action, fields });
    }
  }
  return forms;
}
