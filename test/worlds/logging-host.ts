// A process of its own for log.test.ts: a sandbox with two worlds, each of which is asked once.
import { openWorldsHost } from "./worlds-bed.ts";

const host = await openWorldsHost({ LOG_LEVEL: "info" });
for (const name of ["left", "right"]) {
  const { publicUrl } = await host.world(name);
  await fetch(`${publicUrl}/.well-known/openid-configuration`);
}
await fetch(`${host.publicUrl}/.well-known/openid-configuration`);
await host.close();
