import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';

/** Every document that readers follow, by its path in the repository. */
export const DOCUMENTS: readonly string[] = globSync(
  '{*.md,clients/*/*.md,demo/*.md,docs/**/*.md}',
  { cwd: PROJECT_DIRECTORY },
).sort();

/** Code in a document: a fenced block, or a span of text in backticks. */
export interface Code {
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface Block extends Code {
  /** What follows the opening fence. */
  readonly language: string;
}

const parser = new MarkdownIt({ html: true });

export function readDocument(document: string): string {
  return readFileSync(join(PROJECT_DIRECTORY, document), 'utf8');
}

/** The fenced blocks of a document in its order, also those in lists. */
export function blocksOf(document: string): readonly Block[] {
  return parser
    .parse(readDocument(document), {})
    .filter(({ type }) => type === 'fence' || type === 'code_block')
    .map(({ map, info, content }) => ({
      // Below the line of the fence.
      line: (map?.[0] ?? 0) + 2,
      language: info.trim(),
      text: content,
    }));
}

/** The body that docs/reference.md shows for a call; null for a call without one. */
export function shownBody(summary: string): unknown {
  const [, section = ''] = readDocument('docs/reference.md').split(`\n## ${summary}\n`);
  const [request = ''] = section.split('\n**Answer**');
  return JSON.parse(/^```json\n([^`]*)```$/m.exec(request)?.[1] ?? 'null');
}

/** The spans in backticks, also those in tables. */
export function spansOf(document: string): readonly Code[] {
  const markdown = readDocument(document);
  const lines = markdown.split('\n');
  // Cells of a table do not say where they are, but their row does.
  let start = 0;
  return parser.parse(markdown, {}).flatMap(({ map, children }) => {
    start = map?.[0] ?? start;
    return (children ?? [])
      .filter(({ type }) => type === 'code_inline')
      .map(({ content }) => ({ line: lineOf(lines, start, content), text: content }));
  });
}

/** The line of a paragraph that begins on line `start` and contains `code`. */
function lineOf(lines: readonly string[], start: number, code: string): number {
  const at = lines.findIndex((line, index) => index >= start && line.includes(code));
  return (at < 0 ? start : at) + 1;
}

/** The parts about a gateway on the reader's own machine, which the site marks. */
const LOCAL_PART = /<!-- local -->[\s\S]*?<!-- \/local -->/g;

/** Whether the code is about a gateway on the reader's own machine. */
export function isLocal(document: string, { line }: Code): boolean {
  const markdown = readDocument(document);
  return [...markdown.matchAll(LOCAL_PART)].some(({ index, 0: part }) => {
    const first = markdown.slice(0, index).split('\n').length;
    return line >= first && line < first + part.split('\n').length;
  });
}
