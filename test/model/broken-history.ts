import type { Scene } from "./scene.ts";

/** A history in which one rule is broken, and no other. */
export type BrokenHistory = { rule: string; name: string; write(scene: Scene): Scene };

/** Makes a broken history. */
export const row = (rule: string, name: string, write: (scene: Scene) => Scene): BrokenHistory => ({
  rule,
  name,
  write,
});
