import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { COMMANDS as OPERATORS_COMMANDS } from '../../../scripts/operator/commands.ts';
import { blocksOf, readDocument, spansOf } from './markdown.ts';

/**
 * The commands of the documents as a shell reads them. Bash runs each page in a folder of its own and
 * finds no program: its handler for unknown commands records them instead. So loops, quotes,
 * variables and redirections mean here what they mean to a reader.
 */

/** A command that a document tells its reader to run. */
export interface Command {
  /** `docs/deploy.md:28` */
  readonly place: string;
  readonly document: string;
  readonly line: number;
  /** The program and its arguments. The reader's home is written as `$HOME`. */
  readonly words: readonly string[];
}

/** The checkout has only what commands change into, so that no redirection writes into ours. */
const READERS_FOLDERS = ['home', 'checkout/clients/cli', 'checkout/clients/typescript'];
const READERS_VARIABLES = { KEY: 'kfl_test_documents' };

/** Spans that begin so are commands; all other spans are names, values and paths. */
const PROGRAMS = [
  ...['npm', 'npx', 'node', 'curl', 'openssl', 'git', 'docker', 'php', 'python', 'pip'],
  // The merchants' command line, which they install.
  'kefel',
];

/** How sentences shorten commands: `bank list`, `wrangler deploy`. By the first word, what is left out. */
const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ...OPERATORS_COMMANDS.map(
    ({ name }) => [name.split(' ')[0] ?? '', 'npm run operator --'] as const,
  ),
  ['wrangler', 'npx'],
]);

/** What the reader has, because a command reads it: `< "$HOME/m-pesa.json"`. */
const REDIRECTED_FILE = / < "?([^\s"]+)/g;

/** A page that waits or loops without end. */
const TIMEOUT_MS = 20_000;

const RECORD = `
set -eu
PATH=/nowhere
command_not_found_handle() {
  printf '%s\\0' "\${BASH_LINENO[0]}" "$#" "$@" >> "$RECORDS"
}
`;

const run = promisify(execFile);

/** Every command of the documents, in the order in which a reader meets them. */
export async function commandsOf(documents: readonly string[]): Promise<readonly Command[]> {
  const directory = await mkdtemp(join(tmpdir(), 'kefel-documents-'));
  try {
    await prepareReader(directory);
    const pages = await Promise.all(
      documents.map((document, index) => recorded(document, directory, String(index))),
    );
    return pages.flat();
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function prepareReader(directory: string): Promise<void> {
  for (const folder of READERS_FOLDERS) {
    await mkdir(join(directory, folder), { recursive: true });
  }
  await writeFile(join(directory, 'record.sh'), RECORD);
}

async function recorded(
  document: string,
  directory: string,
  name: string,
): Promise<readonly Command[]> {
  const script = scriptOf(document);
  if (script.trim() === '') {
    return [];
  }
  const checkout = join(directory, 'checkout');
  const home = join(directory, 'home');
  const program = join(directory, `${name}.sh`);
  const records = join(directory, `${name}.records`);
  await writeFile(program, script);
  await writeFile(records, '');
  for (const [, file = ''] of script.matchAll(REDIRECTED_FILE)) {
    await writeFile(resolve(checkout, file.replace('$HOME', home)), '', { flag: 'a' });
  }
  const env = {
    PATH: process.env.PATH,
    BASH_ENV: join(directory, 'record.sh'),
    RECORDS: records,
    HOME: home,
    ...READERS_VARIABLES,
  };
  const place = (line: number) => ({ place: `${document}:${line}`, document, line });
  try {
    await run('bash', [program], { cwd: checkout, timeout: TIMEOUT_MS, env });
  } catch (error) {
    // As a command that no test knows.
    return [{ ...place(1), words: ['bash', String(error)] }];
  }
  return recordsIn((await readFile(records, 'utf8')).split('\0')).map(({ line, words }) => ({
    ...place(line),
    words: words.map((word) => word.replaceAll(home, '$HOME')),
  }));
}

/** A document as a script with the same line numbers: prose becomes empty lines. */
function scriptOf(document: string): string {
  const script = readDocument(document)
    .split('\n')
    .map(() => '');
  for (const { line, language, text } of blocksOf(document)) {
    if (language === 'sh') {
      const code = text.trimEnd().split('\n');
      script.splice(line - 1, code.length, ...code);
    }
  }
  for (const { line, text } of spansOf(document)) {
    const written = [script[line - 1], commandIn(text)];
    script[line - 1] = written.filter(Boolean).join('; ');
  }
  return script.join('\n');
}

/** The command that a span is, or null. A single word is only a name, and angle brackets a form. */
function commandIn(span: string): string | null {
  const [program = '', verb, ...more] = span.split(/\s+/);
  if (verb === undefined || /<\w/.test(span)) {
    return null;
  }
  if (PROGRAMS.includes(program)) {
    return span;
  }
  const start = SHORTHANDS.get(program);
  if (start === undefined || !/^[a-z-]/.test(verb)) {
    return null;
  }
  // In a sentence, `owner invite` names the command.
  return `${start} ${span}${more.length === 0 && !verb.startsWith('-') ? ' --help' : ''}`;
}

function recordsIn(fields: readonly string[]): { line: number; words: readonly string[] }[] {
  const records = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const end = at + 2 + Number(fields[at + 1]);
    records.push({ line: Number(fields[at]), words: fields.slice(at + 2, end) });
    at = end;
  }
  return records;
}
