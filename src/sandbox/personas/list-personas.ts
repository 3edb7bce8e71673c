import { households } from "./households.ts";
import type { Persona } from "./persona.ts";

/** Lists the sandbox's customers with their logins, passwords and secrets, which are public. */
export const listPersonas = (): readonly Persona[] => households.flatMap((each) => each.personas);
