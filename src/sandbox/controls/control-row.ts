import type { TSchema } from "typebox";
import type { SandboxControls } from "./controls.ts";

/** An operation of the sandbox's own interface. */
export type ControlRow = {
  route: [method: "GET" | "POST" | "PUT" | "DELETE", path: string];
  operationId: string;
  summary: string;
  /** Optional query parameters, each with a description. */
  query?: Readonly<Record<string, string>>;
  /** Absent if the operation has no body. */
  request?: TSchema;
  /** The most bytes of its body, if they are more than usual. */
  bodyLimit?: number;
  response: { status: number; schema: TSchema };
  /** The body has been checked by `request`. `params` has the path's parameters and the query's. */
  handle(controls: SandboxControls, body: never, params: Record<string, string>): Promise<object>;
};
