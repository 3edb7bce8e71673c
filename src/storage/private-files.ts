import { NodeFS } from "@electric-sql/pglite/nodefs";

type Init = NodeFS["init"];
type NodeOperations = {
  mknod(parent: unknown, name: string, mode: number, device: number): unknown;
  setattr(node: unknown, attributes: Attributes): void;
};
type Attributes = { mode?: number };
/** What is missing in the types of the engine's file system. */
type FileSystem = { NODEFS: { node_ops: NodeOperations } };

const ownerOnly = 0o077;

/**
 * The embedded database's files, readable and writable by their owner only. The engine itself asks
 * for files that everybody can write, and sets their modes explicitly, so that no umask helps.
 */
export class PrivateFiles extends NodeFS {
  override async init(...[engine, options]: Parameters<Init>): ReturnType<Init> {
    const { emscriptenOpts } = await super.init(engine, options);
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          (module: unknown) => closeToOthers((module as FileSystem).NODEFS.node_ops),
          ...(emscriptenOpts.preRun ?? []),
        ],
      },
    };
  }
}

function closeToOthers(operations: NodeOperations): void {
  const { mknod, setattr } = operations;
  operations.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~ownerOnly, device);
  operations.setattr = (node, attributes) =>
    setattr(
      node,
      // its other members are kept; null is none
      attributes.mode == null ? attributes : { ...attributes, mode: attributes.mode & ~ownerOnly },
    );
}
