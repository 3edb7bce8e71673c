import { accountResources } from "#src/accounts/account-resources.ts";
import type { AccountResource } from "#src/accounts/resource.ts";
import { present } from "#src/lib/assert.ts";

/** The served resources at these paths, with their views. */
export const served = (...paths: string[]): AccountResource[] =>
  paths.map((path) => servedAt(path));

/** The served resource at this path. */
export const servedAt = (path: string): AccountResource =>
  present(
    accountResources.find((one) => one.path === path),
    path,
  );
