import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import syntaxHighlight from '@11ty/eleventy-plugin-syntaxhighlight';
import { buildAssets } from './assets.ts';
import { packCommandLine } from './command-line.ts';
import { headingsOf } from './contents.ts';
import { readDocuments } from './documents.ts';
import { llmsFullText, llmsMerchantText, llmsText } from './llms.ts';
import { adaptMarkdown, downloadOf, fileOf, markdownUrlOf, urlOf } from './markdown.ts';
import { audienceOf, isShownOn, placeOf, SECTIONS } from './navigation.ts';
import { searchEntries } from './search-entries.ts';

/** What readers without the repository copy. */
const CLIENT_FILES = Object.fromEntries(
  globSync('clients/{typescript,php,python}/*.{ts,php,py}').map((file) => [
    file,
    downloadOf(file).slice(1),
  ]),
);

const MISSING = `# Page not found

The documentation has no page at this address. Look in the menu, or begin with the [first page](index.md), the [quick start](quick-start.md) or the [reference](reference.md). The [dashboard](/dashboard) shows payments, and [home](/) says what this gateway is.
`;

/**
 * The generator's configuration; `scripts/build-docs.ts` runs it in the project's directory. The
 * documents are plain Markdown without front matter, so that they read well in the repository too:
 * the data of each page comes from here.
 *
 * @param eleventy the generator's UserConfig
 */
export default async function configure(eleventy) {
  // What the gateway serves as `/`.
  const output = process.env.KEFEL_SITE_OUTPUT;
  const documents = readDocuments(process.cwd());
  const assets = await buildAssets(output);

  eleventy.setQuietMode(true);
  eleventy.addPlugin(syntaxHighlight, { preAttributes: { tabindex: 0 } });
  eleventy.amendLibrary('md', adaptMarkdown);
  eleventy.addFilter('urlOf', urlOf);
  eleventy.addFilter('markdownUrlOf', markdownUrlOf);
  eleventy.addFilter('isShownOn', isShownOn);
  eleventy.addFilter('headingsOf', headingsOf);
  eleventy.addPassthroughCopy({ 'docs/images': 'docs/images', ...CLIENT_FILES });
  eleventy.addGlobalData('assets', assets);
  eleventy.addGlobalData('sections', SECTIONS);
  eleventy.addGlobalData(
    'titles',
    Object.fromEntries(documents.map(({ name, title }) => [name, title])),
  );

  for (const { name, title, summary, markdown } of documents) {
    eleventy.addTemplate(`${name}.md`, markdown, {
      layout: 'page.njk',
      permalink: fileOf(name),
      document: name,
      title,
      summary,
      place: placeOf(name),
    });
  }
  // For addresses under /docs without a page, with the menu and the search.
  eleventy.addTemplate('404.md', MISSING, {
    layout: 'page.njk',
    permalink: 'docs/404.html',
    document: null,
    title: 'Page not found',
    summary: 'There is no page at this address.',
  });
  eleventy.on('eleventy.after', async ({ results }) => {
    await packCommandLine(output, join(output, 'docs/download/kefel.tgz'));
    const byUrl = new Map(documents.map(({ name }) => [urlOf(name), audienceOf(name)]));
    const pages = results.filter(({ url }) => byUrl.has(url.replace(/\.html$/, '')));
    const entries = searchEntries(pages, (url) => byUrl.get(url));
    const files = {
      'docs/search.json': JSON.stringify(entries),
      'llms.txt': llmsText(documents),
      'llms-merchant.txt': llmsMerchantText(documents),
      'llms-full.txt': llmsFullText(documents),
      ...Object.fromEntries(
        documents.map(({ name, standalone }) => [markdownUrlOf(name).slice(1), standalone]),
      ),
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(output, name)), { recursive: true });
      await writeFile(join(output, name), text);
    }
  });

  return {
    dir: { input: 'site', output, includes: '.' },
    templateFormats: ['md'],
    // A document may hold the braces of templates, as text.
    markdownTemplateEngine: false,
  };
}
