// A process that locks the folder in its argument, prints its process id and keeps running.
import { present } from "#src/lib/assert.ts";
import { lockFolder } from "#src/storage/folder-lock.ts";

lockFolder(present(process.argv[2], "a folder"));
process.stdout.write(String(process.pid));
setInterval(() => undefined, 60_000);
