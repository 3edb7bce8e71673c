// A process that locks the folder of its argument, prints its id and stays.
import { present } from "#src/lib/assert.ts";
import { lockFolder } from "#src/storage/folder-lock.ts";

lockFolder(present(process.argv[2], "a folder"));
process.stdout.write(String(process.pid));
setInterval(() => undefined, 60_000);
