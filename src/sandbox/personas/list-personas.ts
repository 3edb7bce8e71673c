import { households } from "./households.ts";
import type { Persona } from "./persona.ts";

/** The known logins, passwords and secrets of the sandbox's customers. */
export const listPersonas = (): readonly Persona[] => households.flatMap((each) => each.personas);
