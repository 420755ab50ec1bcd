// SPDX-License-Identifier: Apache-2.0
// Bundles script and style into one file, template.html, which the build embeds into weft. The same
// sources and packages give the same bytes on every machine. Usage: node build.mjs [FILE]
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const result = await build({
  absWorkingDir: here,
  entryPoints: { page: "src/main.ts", style: "src/style.css" },
  outdir: "unused",
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  legalComments: "none", // licenses.txt has them
  define: { "process.env.NODE_ENV": '"production"' },
});
const text = (suffix) => {
  const file = result.outputFiles.find((each) => each.path.endsWith(suffix));
  return file.text.trim();
};
// Nothing in the script may end its element.
const script = text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const page = readFileSync(join(here, "page.html"), "utf8")
  .replace("/* style */", () => text(".css"))
  .replace("/* script */", () => script);
writeFileSync(process.argv[2] ?? join(here, "template.html"), page);
