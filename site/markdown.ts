import { posix } from 'node:path';
import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { EXAMPLE_ORIGIN } from './gateway.ts';
import { groupTabs } from './tabs.ts';

/** `<a id="limits">`, by which a document names a heading for good. */
const EXPLICIT_ANCHOR = /^<a id="([\w-]+)">$/;
/** A link within the repository, with its anchor. */
const RELATIVE_LINK = /^(?![a-z]+:|#|\/)([^#]+)(#.*)?$/;

/** A file that a reader copies. */
const CLIENT_FILE = /^\.\.\/clients\/\w+\/[\w-]+\.(?:ts|php|py)$/;

/** Where the site shows a document: `rails/mpesa` at `/docs/rails/mpesa`. */
export function urlOf(document: string): string {
  if (document === 'index') {
    return '/docs/';
  }
  return `/docs/${document.replace(/\/?README$/, '')}`;
}

/** Where the site offers a client's file: `clients/php/Kefel.php` at `/docs/download/Kefel.php`. */
export function downloadOf(file: string): string {
  return `/docs/download/${posix.basename(file)}`;
}

/** The page as Markdown, for programs: `rails/README` at `/docs/rails.md`. */
export function markdownUrlOf(document: string): string {
  return document === 'index' ? '/docs/index.md' : `${urlOf(document)}.md`;
}

/** The file of the page, below what is served as `/`. */
export function fileOf(document: string): string {
  return document === 'index' ? 'docs/index.html' : `${urlOf(document).slice(1)}.html`;
}

/**
 * Adapts Markdown that also reads well in the repository: links between documents lead to pages,
 * explicit anchors become the ids of their headings, and what may be wider than a phone scrolls
 * by itself.
 */
export function adaptMarkdown(markdown: MarkdownIt): void {
  escapePlainText(markdown);
  markdown.core.ruler.push('explicit_anchors', nameHeadings);
  markdown.core.ruler.push('alignment', alignByClass);
  markdown.core.ruler.push('links_between_documents', linkPages);
  markdown.core.ruler.push('tabs', groupTabs);
  markdown.use(anchor, { permalink: anchor.permalink.headerLink() });
  markdown.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
}

/** The highlighter writes blocks of `text` as they are, so `<run>` would open an element. */
function escapePlainText(markdown: MarkdownIt): void {
  const { highlight } = markdown.options;
  markdown.set({
    highlight: (code, language, attributes) =>
      highlight?.(
        language === 'text' ? markdown.utils.escapeHtml(code) : code,
        language,
        attributes,
      ) ?? '',
  });
}

function nameHeadings(state: StateCore): void {
  for (const [index, token] of state.tokens.entries()) {
    const children = state.tokens[index + 1]?.children;
    if (token.type !== 'heading_open' || !children) {
      continue;
    }
    const at = children.findIndex(({ content }) => EXPLICIT_ANCHOR.test(content));
    const id = EXPLICIT_ANCHOR.exec(children[at]?.content ?? '')?.[1];
    if (id !== undefined) {
      token.attrSet('id', id);
      children.splice(at, 2);
    }
  }
}

/** Columns of figures are aligned by a class, because the pages' policy forbids inline styles. */
function alignByClass(state: StateCore): void {
  for (const token of state.tokens) {
    const [, side] = /^text-align:(\w+)$/.exec(String(token.attrGet('style'))) ?? [];
    if (side !== undefined) {
      token.attrs = [['class', side]];
    }
  }
}

/** A link to a file that the site does not show keeps its text only. */
function linkPages(state: StateCore): void {
  const directory = posix.dirname(String(state.env.document));
  for (const { children } of state.tokens) {
    for (const token of children ?? []) {
      if (token.type === 'link_open' || token.type === 'image') {
        rewrite(token, directory);
      }
    }
  }
}

function rewrite(token: Token, directory: string): void {
  const attribute = token.type === 'image' ? 'src' : 'href';
  const [, path, hash = ''] = RELATIVE_LINK.exec(String(token.attrGet(attribute))) ?? [];
  if (path === undefined) {
    return;
  }
  const url = siteUrlOf(posix.join(directory, path), urlOf);
  if (url === null) {
    token.attrs = [];
  } else {
    token.attrSet(attribute, url + hash);
  }
}

/** Where the site shows a file, by its path from `docs`; null: nowhere. */
function siteUrlOf(file: string, pageUrlOf: (document: string) => string): string | null {
  if (file === '../CHANGELOG.md') {
    return pageUrlOf('changelog');
  }
  if (CLIENT_FILE.test(file)) {
    return downloadOf(file);
  }
  if (file.startsWith('../')) {
    return null;
  }
  return file.endsWith('.md') ? pageUrlOf(file.slice(0, -'.md'.length)) : `/docs/${file}`;
}

/** Blocks and spans of code, which keep what looks like a link, and links. */
const CODE_OR_LINK = /^```[\s\S]*?^```|`[^`\n]*`|(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/gm;
/** For the site alone. */
const SITE_COMMENT = /^<!-- \/?(?:tabs|local) -->\n+/gm;

/** A document for programs that read it elsewhere: its links are absolute and lead to Markdown. */
export function standaloneMarkdown(document: string, markdown: string): string {
  const directory = posix.dirname(document);
  return markdown
    .replaceAll(SITE_COMMENT, '')
    .replaceAll(CODE_OR_LINK, (whole, image?: string, text?: string, target?: string) => {
      const [, path, hash = ''] = RELATIVE_LINK.exec(target ?? '') ?? [];
      if (path === undefined) {
        return whole;
      }
      const url = siteUrlOf(posix.join(directory, path), markdownUrlOf);
      return url === null ? String(text) : `${image}[${text}](${EXAMPLE_ORIGIN}${url}${hash})`;
    });
}
