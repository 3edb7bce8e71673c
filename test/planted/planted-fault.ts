/** A place in the source, and the text that takes the place of another. */
export type Patch = { file: string; find: string; replace: string };

/** A function of the database with the text that takes the place of another, or a statement. */
export type DatabasePatch =
  | { function: string; find: string; replace: string }
  | { statement: string };

/**
 * Who finds a fault: the `load` on PostgreSQL, on which several transactions run at once, or the
 * `simulation`, in which time passes and connections, processes and cores fail.
 */
export type Finder = "load" | "simulation";

/**
 * A fault: where it is planted, and who must find it by which rule. What a fault does in a
 * simulated bank depends on the seed, so there the breach of another rule is a finding too.
 */
export type PlantedFault = {
  name: string;
  patches: readonly (Patch | DatabasePatch)[];
  rules: Readonly<Partial<Record<Finder, string>>>;
};
