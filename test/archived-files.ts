// The lane's embedded databases, as test/seed-template.ts has archived them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MemoryFS, PGlite } from "@electric-sql/pglite";
import { assert, present } from "#src/lib/assert.ts";

/** A file of the archive; a folder has no contents. */
type Entry = { path: string; contents: Uint8Array | null };

type Write = (stream: { node: FileNode }, ...given: unknown[]) => number;
type FileNode = { contents: Uint8Array; usedBytes: number; stream_ops: { write: Write } };
/** The members of the engine's file system that its types lack. */
type Files = {
  mkdirTree(path: string, mode: number): void;
  mknod(path: string, mode: number, device: number): FileNode;
};

const regularFile = 0o100600;
const ownerOnly = 0o700;

/** An archived database: without rows, or with the personas. */
export type Archive = "empty" | "seeded";

/** The environment variables that name the files of the archives. */
export const archiveFiles = { empty: "ALDGATE_TEST_EMPTY", seeded: "ALDGATE_TEST_DUMP" } as const;

/**
 * An in-memory copy of an archived database. All copies in a process share the bytes of a file
 * until one of them writes to it, so opening a copy is cheap.
 */
export class ArchivedFiles extends MemoryFS {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    super();
    this.#archive = archive;
  }

  override async initialSyncFs(): Promise<void> {
    const engine = present(this.pg, "the engine") as unknown as { Module: { FS: Files } };
    const { FS: files } = engine.Module;
    for (const { path, contents } of readArchive(this.#archive)) {
      const target = join(PGlite.paths.PGDATA, path);
      if (contents === null) files.mkdirTree(target, ownerOnly);
      else share(files.mknod(target, regularFile, 0), contents);
    }
  }
}

/** Gives the file these contents, which it copies before its first write. */
function share(node: FileNode, contents: Uint8Array): void {
  const { write } = node.stream_ops;
  node.contents = contents;
  node.usedBytes = contents.length;
  node.stream_ops = {
    ...node.stream_ops,
    write(stream, ...given) {
      if (node.contents === contents) node.contents = new Uint8Array(contents); // a copy
      return write(stream, ...given);
    },
  };
}

/** Writes an archived database to a folder, which must be new. */
export function writeArchived(archive: Archive, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: ownerOnly });
  for (const { path, contents } of readArchive(archive)) {
    const target = join(folder, path);
    if (contents === null) mkdirSync(target, { recursive: true, mode: ownerOnly });
    else writeFileSync(target, contents, { mode: 0o600 });
  }
}

const known = new Map<Archive, readonly Entry[]>();

function readArchive(archive: Archive): readonly Entry[] {
  const file = present(process.env[archiveFiles[archive]], "the archive");
  const entries = known.get(archive) ?? [...readEntries(readFileSync(file))];
  known.set(archive, entries);
  return entries;
}

const block = 512;

/** Reads a tar archive of files and folders whose paths have at most 100 bytes. */
function* readEntries(archive: Buffer): Generator<Entry> {
  let at = 0;
  while (archive[at] !== undefined && archive[at] !== 0) {
    const text = (from: number, length: number): string =>
      archive.toString("latin1", at + from, at + from + length).replace(/\0.*$/s, "");
    const path = text(0, 100);
    const size = Number.parseInt(text(124, 12), 8);
    const type = text(156, 1);
    assert(type === "0" || type === "5", `${path} is a file or a folder`);
    const start = at + block;
    yield { path, contents: type === "5" ? null : archive.subarray(start, start + size) };
    at = start + Math.ceil(size / block) * block;
  }
}
