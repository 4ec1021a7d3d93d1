import { parseCommandLine } from '../../../scripts/operator/arguments.ts';
import { UsageError } from '../../../scripts/operator/command.ts';
import type { Command } from './commands.ts';

/** What a documented command of `npm run operator` sends to the gateway. */
export type DocumentedRequest = {
  readonly place: string;
  /** Noun and verb. */
  readonly command: string;
  readonly path: string;
  /** JSON; null for a GET. */
  readonly body: string | null;
  /** What is wrong with the command line; null: nothing. */
  readonly refusal: string | null;
};

const START = 'npm run operator';

/** Words that stand for the reader's own, where the command line reads their values. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { ENVIRONMENT: 'production' };

/** The requests of all documents, each once. Commands that ask for help send none. */
export function documentedRequests(commands: readonly Command[]): DocumentedRequest[] {
  const requests = new Map<string, DocumentedRequest>();
  for (const { place, words } of commands) {
    if (words.slice(0, 3).join(' ') === START) {
      const args = words.slice(words[3] === '--' ? 4 : 3);
      const request = requestOf(
        place,
        args.map((word) => PLACEHOLDERS[word] ?? word),
      );
      const { place: _, ...sent } = request ?? { place };
      if (request !== null && !requests.has(JSON.stringify(sent))) {
        requests.set(JSON.stringify(sent), request);
      }
    }
  }
  return [...requests.values()];
}

function requestOf(place: string, args: readonly string[]): DocumentedRequest | null {
  try {
    const wanted = parseCommandLine(args);
    if ('help' in wanted) {
      return null;
    }
    const { path, body } = wanted.command.request(wanted.given);
    const text = body === undefined ? null : JSON.stringify(body);
    return { place, command: wanted.command.name, path, body: text, refusal: null };
  } catch (error) {
    if (error instanceof UsageError) {
      return { place, command: args.join(' '), path: '', body: null, refusal: error.message };
    }
    throw error;
  }
}
