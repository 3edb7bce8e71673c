import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { MemoryFS, PGlite } from "@electric-sql/pglite";
import { assert, present } from "#src/lib/assert.ts";

/** A file of an archive; a folder has no contents. */
type Entry = { path: string; contents: Uint8Array | null };

/** What an embedded database consisted of, in memory. Nobody may change the contents. */
export type Snapshot = readonly Entry[];

type Write = (stream: { node: FileNode }, ...given: unknown[]) => number;
type FileNode = { contents: Uint8Array; usedBytes: number; stream_ops: { write: Write } };
type FolderNode = { contents: Readonly<Record<string, FileNode | FolderNode>> };
/** The members of the engine's file system that its types lack. */
type Files = {
  mkdirTree(path: string, mode: number): void;
  mknod(path: string, mode: number, device: number): FileNode;
  lookupPath(path: string): { node: FolderNode };
};

const regularFile = 0o100600;
const ownerOnly = 0o700;
const packed = ".zst";

/** Writes an embedded database to a file, compressed if its name ends with `.zst`. */
export async function archive(engine: PGlite, file: string): Promise<void> {
  await engine.exec("checkpoint"); // otherwise every copy would replay the log
  const dump = await engine.dumpDataDir("none");
  const bytes = Buffer.from(await dump.arrayBuffer());
  writeFileSync(file, file.endsWith(packed) ? zstdCompressSync(bytes) : bytes, { mode: 0o600 });
}

/** Copies an embedded database that is in memory. What nobody has written to is shared. */
export async function snapshot(engine: PGlite): Promise<Snapshot> {
  await engine.exec("checkpoint"); // otherwise every copy would replay the log
  return [...entriesBelow(filesOf(engine).lookupPath(PGlite.paths.PGDATA).node, "")];
}

function* entriesBelow({ contents }: FolderNode, folder: string): Generator<Entry> {
  for (const [name, node] of Object.entries(contents)) {
    const path = join(folder, name);
    if ("usedBytes" in node) {
      const isShared = sharedContents.has(node.contents);
      // an empty file may have no contents
      const bytes = isShared ? node.contents : node.contents?.slice(0, node.usedBytes);
      yield { path, contents: bytes ?? new Uint8Array() };
    } else {
      yield { path, contents: null };
      yield* entriesBelow(node, path);
    }
  }
}

const filesOf = (engine: PGlite | undefined): Files =>
  (present(engine, "the engine") as unknown as { Module: { FS: Files } }).Module.FS;

/**
 * An in-memory copy of a database: of an archive, or of a snapshot. All copies in a process share
 * the bytes of a file until one of them writes to it, so opening a copy is cheap.
 */
export class ArchivedFiles extends MemoryFS {
  readonly #archive: string | Snapshot;

  constructor(archive: string | Snapshot) {
    super();
    this.#archive = archive;
  }

  override async initialSyncFs(): Promise<void> {
    const files = filesOf(this.pg);
    const archive = this.#archive;
    for (const { path, contents } of typeof archive === "string" ? readArchive(archive) : archive) {
      const target = join(PGlite.paths.PGDATA, path);
      if (contents === null) files.mkdirTree(target, ownerOnly);
      else share(files.mknod(target, regularFile, 0), contents);
    }
  }
}

/** The contents that files share. */
const sharedContents = new WeakSet<Uint8Array>();

/** Gives the file these contents, which it copies before its first write. */
function share(node: FileNode, contents: Uint8Array): void {
  sharedContents.add(contents);
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
export function writeArchived(archive: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: ownerOnly });
  for (const { path, contents } of unpack(archive)) {
    const target = join(folder, path);
    if (contents === null) mkdirSync(target, { recursive: true, mode: ownerOnly });
    else writeFileSync(target, contents, { mode: 0o600 });
  }
}

const known = new Map<string, readonly Entry[]>();

function readArchive(file: string): readonly Entry[] {
  let entries = known.get(file);
  if (!entries) {
    entries = [...unpack(file)];
    known.set(file, entries);
  }
  return entries;
}

function unpack(file: string): Generator<Entry> {
  const bytes = readFileSync(file);
  return readEntries(file.endsWith(packed) ? zstdDecompressSync(bytes) : bytes);
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
