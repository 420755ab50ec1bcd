// SPDX-License-Identifier: Apache-2.0
// Loads modules of the page that need no document: each is bundled as it is loaded.
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../page", import.meta.url));
const { build } = createRequire(join(page, "package.json"))("esbuild");

/** A module of page/src. */
export async function load(name) {
  const { outputFiles } = await build({
    entryPoints: [join(page, "src", name)],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
