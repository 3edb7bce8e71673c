/** A member of a JWT as JSON; null if the text is no JWT. */
function decodePart(text: unknown, place: 0 | 1): Record<string, unknown> | null {
  if (typeof text !== "string" || text.length > 65_536) return null;
  try {
    const part: unknown = JSON.parse(
      Buffer.from(text.split(".")[place] ?? "", "base64url").toString(),
    );
    return typeof part === "object" && part !== null && !Array.isArray(part)
      ? (part as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The claims of a JWT that nobody has verified; null if the text is no JWT. */
export const decodeClaims = (text: unknown) => decodePart(text, 1);
