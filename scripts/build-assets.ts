/**
 * A part of `npm run generate`: makes the scripts and style sheets of the customers' pages (out of
 * `src/engine/checkout/browser` and `src/engine/checkout/styles`) and of all other pages (`src/kit/ui`), and the
 * script of the merchants' pages.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { writeGenerated } from './project/generated.ts';

const SCRIPT = {
  usage: 'npm run generate',
  about: 'Writes the scripts and style sheets of all pages.',
};

/** The customers' pages have their styles inline. */
const CHECKOUT = {
  script: 'src/engine/checkout/browser/main.ts',
  scriptProject: 'src/engine/checkout/browser/tsconfig.json',
  style: 'src/engine/checkout/styles/checkout.css',
  module: 'src/engine/checkout/assets.generated.ts',
};
/** Members open many pages in a row: they fetch the style sheet once, as a file. */
const DASHBOARD = {
  script: 'back-office/ui/browser/main.ts',
  scriptProject: 'back-office/ui/browser/tsconfig.json',
  style: 'back-office/ui/styles/dashboard.css',
  module: 'back-office/ui/assets.generated.ts',
};
/** For the merchants' pages, which name it: the address never changes. */
const EMBED = {
  script: 'src/engine/checkout/browser/embed.ts',
  scriptProject: CHECKOUT.scriptProject,
  path: 'public/kefel.js',
};
const ASSETS_DIRECTORY = 'public/assets';
/** The back office's own folder: on a host that both planes share, only its paths lead to it. */
const BACK_OFFICE_PUBLIC = 'back-office/public';
const BACK_OFFICE_ASSETS = `${BACK_OFFICE_PUBLIC}/dashboard-assets`;

/** Mid-range phones in Ethiopia run browsers that are years old. */
const SCRIPT_TARGET = 'es2020';
const STYLE_TARGETS = ['chrome87', 'safari14', 'firefox85'];

/** Enough to give two versions different names. */
const NAME_HASH_LENGTH = 8;

/** What esbuild lets through, but minified CSS must not contain. */
const CSS_FAULTS = [
  { pattern: /<\/style/i, why: "it would end the page's style element." },
  {
    // esbuild's rendering of `width < 32rem`; no browser before 2022 reads it.
    pattern: /@media[^{]*\bnot ?\(/,
    why: 'use `<=` and `>=` in media queries; `<` and `>` are lost on older browsers.',
  },
];

/** The name of a built file, of any version. */
const ASSET_NAME = /^(?:checkout|dashboard)\.[0-9a-f]{8}\.(?:js|css)$/;

/** A file's text by its path in the project. */
type Files = ReadonlyMap<string, string>;
type Pages = typeof CHECKOUT;

/** All generated files. */
async function buildAll(): Promise<Files> {
  const checkoutScript = await script(CHECKOUT);
  const checkoutCss = await style(CHECKOUT);
  const checkoutName = assetName('checkout', 'js', checkoutScript);
  const dashboardScript = await script(DASHBOARD);
  const dashboardCss = await style(DASHBOARD);
  const dashboardNames = {
    script: assetName('dashboard', 'js', dashboardScript),
    css: assetName('dashboard', 'css', dashboardCss),
  };
  return new Map([
    [join(ASSETS_DIRECTORY, checkoutName), checkoutScript],
    [join(BACK_OFFICE_ASSETS, dashboardNames.script), dashboardScript],
    [join(BACK_OFFICE_ASSETS, dashboardNames.css), dashboardCss],
    // A classic script, so that one plain element includes it.
    [EMBED.path, await script(EMBED, 'iife')],
    [CHECKOUT.module, checkoutModule(checkoutName, checkoutScript, checkoutCss)],
    [DASHBOARD.module, dashboardModule(dashboardNames, dashboardScript, dashboardCss)],
  ]);
}

function script(
  { script: entryPoint, scriptProject: tsconfig }: Pick<Pages, 'script' | 'scriptProject'>,
  format: 'esm' | 'iife' = 'esm',
): Promise<string> {
  // Merchants' pages and servers may declare another encoding than UTF-8.
  const charset = format === 'iife' ? 'ascii' : 'utf8';
  return bundle({ entryPoints: [entryPoint], format, target: SCRIPT_TARGET, tsconfig, charset });
}

async function style(entry: Pages): Promise<string> {
  // Without the final line break, which would change the hash of the inline style.
  const css = (await bundle({ entryPoints: [entry.style], target: STYLE_TARGETS })).trim();
  for (const { pattern, why } of CSS_FAULTS) {
    if (pattern.test(css)) {
      throw new Error(`${entry.style}: ${why}`);
    }
  }
  return css;
}

function assetName(name: string, extension: 'js' | 'css', content: string): string {
  return `${name}.${sha256(content, 'hex').slice(0, NAME_HASH_LENGTH)}.${extension}`;
}

async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles, warnings } = await build({
    charset: 'utf8',
    ...options,
    absWorkingDir: PROJECT_DIRECTORY,
    bundle: true,
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
    write: false,
  });
  const [file, ...others] = outputFiles;
  if (file === undefined || others.length > 0 || warnings.length > 0) {
    const told = warnings.map(({ text, location }) => `${location?.file}: ${text}`);
    throw new Error(
      [`${options.entryPoints} does not build into one file without warnings.`, ...told].join('\n'),
    );
  }
  return file.text;
}

const GENERATED = '/** Generated by `npm run generate`. Do not edit. */';

function checkoutModule(scriptName: string, script: string, css: string): string {
  return `${GENERATED}

/** Inlined into every page. */
export const CHECKOUT_CSS =
  ${JSON.stringify(css)};

/** For the pages' CSP. */
export const CHECKOUT_CSS_SHA256 = '${sha256(css, 'base64')}';

export const CHECKOUT_SCRIPT_PATH = '/assets/${scriptName}';

/** For \`integrity\`. */
export const CHECKOUT_SCRIPT_SHA256 = '${sha256(script, 'base64')}';
`;
}

function dashboardModule(
  names: { readonly script: string; readonly css: string },
  script: string,
  css: string,
): string {
  return `${GENERATED}

export const DASHBOARD_CSS_PATH = '/dashboard-assets/${names.css}';

export const DASHBOARD_CSS_SHA256 = '${sha256(css, 'base64')}';

export const DASHBOARD_SCRIPT_PATH = '/dashboard-assets/${names.script}';

export const DASHBOARD_SCRIPT_SHA256 = '${sha256(script, 'base64')}';
`;
}

/** Files of earlier versions. */
async function leftOverFiles(files: Files): Promise<readonly string[]> {
  const folders = [ASSETS_DIRECTORY, BACK_OFFICE_ASSETS].map(async (folder) => {
    const names = await readdir(join(PROJECT_DIRECTORY, folder));
    return names.filter((name) => ASSET_NAME.test(name)).map((name) => join(folder, name));
  });
  return (await Promise.all(folders)).flat().filter((path) => !files.has(path));
}

function sha256(text: string, encoding: 'hex' | 'base64'): string {
  return createHash('sha256').update(text).digest(encoding);
}

await writeGenerated(SCRIPT, async () => {
  const files = await buildAll();
  return { files, leftOver: await leftOverFiles(files) };
});
