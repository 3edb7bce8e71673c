import { attackCores } from "#test/attacks/failing-cores.ts";
import { brokenCores } from "#test/connector/kit/broken-cores.ts";
import { type Part, sized } from "./part.ts";

const full = brokenCores.length;

/** The attack by cores that fail in every way that the kit knows, and are killed. */
export const coresPart: Part = {
  name: "cores",
  about: `${full} cores over HTTP, each broken in one way and killed under load, and so is a bank`,
  async run(options) {
    const count = sized(full, options);
    const first = options.seed % full;
    const cores = [...brokenCores.slice(first), ...brokenCores.slice(0, first)].slice(0, count);
    const { seed, history, say: onProgress } = options;
    const report = await attackCores({ cores, seed, history, onProgress });
    const sum = (of: (one: (typeof report.cores)[number]) => number): number =>
      report.cores.reduce((total, one) => total + of(one), 0);
    return {
      counts: {
        cores: report.cores.length,
        kills: `core: ${report.kills.core}, bank: ${report.kills.bank}`,
        "acknowledged orders": sum(({ load }) => load.acknowledged),
        approvals: `${sum(({ load }) => load.approvals.made)}, and ${sum(
          ({ load }) => load.approvals.failed,
        )} that were given up`,
        "reads of account data": sum(({ load }) => load.reads),
        "wrong outcomes that reconcile lists": sum(({ listed }) => listed),
      },
      findings: report.findings,
    };
  },
};
