// The attack on a cluster, in namespaces of its own: see own-namespaces.ts.
import { join } from "node:path";
import { inspect } from "node:util";
import { History } from "#test/model/history.ts";
import { attackCluster } from "./attack.ts";
import { type FromInside, historyFile, type Wanted } from "./own-namespaces.ts";

const tell = (message: FromInside): void => void process.send?.(message);
// whoever asked for the attack has ended
process.on("disconnect", () => process.exit(1));
process.once("message", async (wanted: Wanted) => {
  const history = new History(join(wanted.folder, historyFile));
  try {
    const say = (text: string): void => tell({ said: text });
    tell({ report: await attackCluster({ ...wanted, history, say }) });
  } catch (error) {
    tell({ failed: inspect(error) });
  }
  history.close();
  process.disconnect?.();
  process.exit();
});
