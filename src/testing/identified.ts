/** The id of a consent or an order, or the body of the answer that has it. */
export type Identified = string | { Data: object };

/** Returns the data of a body. Throws if it is the body of an error, which the message shows. */
export function dataOf(body: { Data: object }, wanted: string): Record<string, unknown> {
  const { Data } = body as { Data?: Record<string, unknown> };
  if (Data) return Data;
  throw new Error(`This is not the body of ${wanted}: ${JSON.stringify(body)}`);
}
