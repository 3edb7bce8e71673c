// Answers of authorization servers that say the right thing in another form than the standard's.
// The library for OAuth accepts the standard's form alone.

/** Returns an answer with a JWKS that is a bare list, or a list as `scope`, in the usual form. */
export async function inUsualForm(answer: Response): Promise<Response> {
  const { status, headers } = answer;
  if (status !== 200 || !headers.get("content-type")?.includes("json")) return answer;
  const text = await answer.text();
  return new Response(usualForm(text), { status, headers });
}

function usualForm(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (Array.isArray(body)) return JSON.stringify({ keys: body });
    const { scope } = body as { scope?: unknown };
    if (!Array.isArray(scope)) return text;
    return JSON.stringify({ ...(body as object), scope: scope.join(" ") });
  } catch {
    return text; // the library for OAuth says what is wrong with it
  }
}
