import type { InterfaceRow } from "#src/http/interface-row.ts";
import type { SandboxControls } from "./controls.ts";

/** An operation of the sandbox's own interface. */
export type ControlRow = InterfaceRow<SandboxControls>;
