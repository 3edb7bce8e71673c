import { NodeFS } from "@electric-sql/pglite/nodefs";

type Init = NodeFS["init"];
type NodeOperations = {
  mknod(parent: unknown, name: string, mode: number, device: number): unknown;
  setattr(node: unknown, attributes: Attributes): void;
};
type Attributes = { mode?: number };
/** The members that the types of the engine's file system lack. */
type FileSystem = { NODEFS: { node_ops: NodeOperations } };

const ownerOnly = 0o077;

/**
 * The embedded database's files, readable and writable only by their owner. The engine creates
 * files that everyone can write, and sets their modes explicitly, so a umask has no effect.
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
      // its other members are kept
      attributes.mode == null ? attributes : { ...attributes, mode: attributes.mode & ~ownerOnly },
    );
}
