import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forMerchants, withoutLocalPart } from './gateway.ts';
import { standaloneMarkdown } from './markdown.ts';
import { audienceOf } from './navigation.ts';
import { referencePages, withReferencePages } from './reference-pages.ts';

/** A Markdown file that the site shows. */
export interface Document {
  /** `rails/mpesa`: its path in `docs` without `.md`. */
  readonly name: string;
  readonly title: string;
  /** The first paragraph without its markup, for search engines and lists. */
  readonly summary: string;
  /** For the site's page. */
  readonly markdown: string;
  /** For programs: see `standaloneMarkdown`. */
  readonly standalone: string;
  /** The same without the parts about a gateway on the reader's own machine. */
  readonly hosted: string;
}

const SUMMARY_CHARACTERS_MAX = 200;

/** Every document of `docs`, the reference's pages, and the changelog. */
export function readDocuments(projectDirectory: string): Document[] {
  const names = globSync('**/*.md', { cwd: join(projectDirectory, 'docs') }).map((file) => ({
    name: file.slice(0, -'.md'.length),
    file: join('docs', file),
  }));
  const texts = [...names, { name: 'changelog', file: 'CHANGELOG.md' }].map(({ name, file }) => {
    const text = readFileSync(join(projectDirectory, file), 'utf8');
    return [name, withReferencePages(name, text)] as const;
  });
  return [...texts, ...referencePages()]
    .map(([name, text]) => documentOf(name, text))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function documentOf(name: string, text: string): Document {
  const markdown = audienceOf(name) === 'merchants' ? forMerchants(text) : text;
  const [, heading] = /^# (.+)$/m.exec(markdown) ?? [];
  // Below the path, where a page is about a call; a page of tables has none.
  const [, paragraph = heading] = /^# .+\n+(?:`.+\n+)?([^\n#|`-].*)$/m.exec(markdown) ?? [];
  if (heading === undefined || paragraph === undefined) {
    throw new Error(`${name} must begin with a heading.`);
  }
  return {
    name,
    title: plain(heading),
    summary: shorten(plain(paragraph)),
    markdown,
    standalone: standaloneMarkdown(name, markdown),
    hosted: standaloneMarkdown(name, withoutLocalPart(markdown)),
  };
}

function plain(markdown: string): string {
  return markdown
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '')
    .trim();
}

/** Whole sentences up to the limit, else whole words. */
function shorten(text: string): string {
  if (text.length <= SUMMARY_CHARACTERS_MAX) {
    return text;
  }
  const start = text.slice(0, SUMMARY_CHARACTERS_MAX);
  const sentence = start.lastIndexOf('. ');
  return sentence > 0 ? start.slice(0, sentence + 1) : `${start.slice(0, start.lastIndexOf(' '))}…`;
}
