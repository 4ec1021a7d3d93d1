import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import syntaxHighlight from '@11ty/eleventy-plugin-syntaxhighlight';
import { buildAssets } from './assets.ts';
import { readDocuments } from './documents.ts';
import { llmsFullText, llmsText } from './llms.ts';
import { adaptMarkdown, downloadOf, fileOf, urlOf } from './markdown.ts';
import { placeOf, SECTIONS } from './navigation.ts';
import { searchEntries } from './search-entries.ts';

/** What readers without the repository copy. */
const CLIENT_FILES = Object.fromEntries(
  globSync('clients/{typescript,php,python}/*.{ts,php,py}').map((file) => [
    file,
    downloadOf(file).slice(1),
  ]),
);

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
  const assets = await buildAssets(`${output}/docs`);

  eleventy.setQuietMode(true);
  eleventy.addPlugin(syntaxHighlight, { preAttributes: { tabindex: 0 } });
  eleventy.amendLibrary('md', adaptMarkdown);
  eleventy.addFilter('urlOf', urlOf);
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
  eleventy.on('eleventy.after', async ({ results }) => {
    await writeFile(join(output, 'docs/search.json'), JSON.stringify(searchEntries(results)));
    await writeFile(join(output, 'llms.txt'), llmsText(documents));
    await writeFile(join(output, 'llms-full.txt'), llmsFullText(documents));
  });

  return {
    dir: { input: 'site', output, includes: '.' },
    templateFormats: ['md'],
    // A document may hold the braces of templates, as text.
    markdownTemplateEngine: false,
  };
}
