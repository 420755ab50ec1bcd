// SPDX-License-Identifier: Apache-2.0
// Bundles script and style into one file, template.html, which the build embeds into weft, and the
// licenses of the packages in it into licenses.txt. The same sources and packages give the same bytes
// on every machine. Usage: node build.mjs [FOLDER]
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
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
  metafile: true,
  define: { "process.env.NODE_ENV": '"production"' },
});
const text = (suffix) => {
  const file = result.outputFiles.find((each) => each.path.endsWith(suffix));
  return file.text.trim();
};
// Nothing in the script may end its element.
const script = text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const page = readFileSync(join(here, "page.html"), "utf8")
  .replace("/* hash */", createHash("sha256").update(script).digest("base64")) // no other script may run
  .replace("/* style */", () => text(".css"))
  .replace("/* script */", () => script);
const folder = process.argv[2] ?? here;
writeFileSync(join(folder, "template.html"), page);

/** The license of a package, and its notice if it has one. */
function licenseOf(name) {
  const at = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
  const files = readdirSync(at).filter((file) => /^(license|notice)(\.|$)/i.test(file)).sort();
  const texts = files.map((file) => readFileSync(join(at, file), "utf8").replaceAll("\r", "").trim());
  return [`${name} ${version}: ${license}`, ...texts].join("\n\n");
}
const inputs = Object.keys(result.metafile.inputs);
const packages = new Set(inputs.flatMap((path) => path.match(/node_modules\/([^/]+)/)?.[1] ?? []));
const line = "-".repeat(100);
writeFileSync(
  join(folder, "licenses.txt"),
  ["Packages of others in template.html.", ...[...packages].sort().map(licenseOf)].join(`\n\n${line}\n`) + "\n",
);
