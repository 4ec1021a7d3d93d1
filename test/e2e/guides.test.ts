import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, inject, test } from 'vitest';
import { type Block, blocksOf, DOCUMENTS, isLocal } from '../support/documents/markdown.ts';

/**
 * Goal: the requests of the documents work as shown. Method: run each page's blocks of shell in order
 * against the shared gateway, and compare every answer with the block below it: JSON field by field,
 * a stream by its first line. Without such a block, the answer must be a success. A sample that leaves
 * fields out says so by a field "…".
 */

/** first-minute.test.ts follows these from a fresh clone, and the parts about a local gateway. */
const FOLLOWED_ELSEWHERE = ['README.md'];
const DEFAULT_ADDRESS = 'http://localhost:8787';
const { baseUrl, merchants } = inject('sandbox');
const { sandboxApiKey } = merchants.guides;

interface Step {
  readonly command: string;
  /** What the page shows as the answer. */
  readonly shown: Block | null;
}

function stepsOf(document: string): readonly Step[] {
  const blocks = blocksOf(document).filter((block) => !isLocal(document, block));
  return blocks.flatMap((block, index) => {
    if (block.language !== 'sh' || !/\bcurl /.test(block.text)) {
      return [];
    }
    const next = blocks[index + 1];
    // Fences, and perhaps an empty line, are between them.
    const end = block.line + block.text.split('\n').length;
    const isAnswer = next !== undefined && next.language !== 'sh' && next.line <= end + 2;
    return [{ command: block.text, shown: isAnswer ? next : null }];
  });
}

const GUIDES = DOCUMENTS.filter((document) => !FOLLOWED_ELSEWHERE.includes(document))
  .map((document) => ({ document, steps: stepsOf(document) }))
  .filter(({ steps }) => steps.length > 0);

/** Starts a block of shell as a reader who has the key in `KEY`. */
function start(command: string): ChildProcess {
  return spawn('bash', ['-ec', command.replaceAll(DEFAULT_ADDRESS, baseUrl)], {
    env: { ...process.env, KEY: sandboxApiKey },
    stdio: ['ignore', 'pipe', 'ignore'],
    // A process group of its own, which ends with one signal.
    detached: true,
  });
}

/** What a block prints until it ends or, if given, until it has printed `enough`. */
async function outputOf(command: string, enough?: string): Promise<string> {
  const shell = start(command);
  let output = '';
  const ended = once(shell, 'close');
  shell.stdout?.on('data', (chunk) => {
    output += chunk;
    if (enough !== undefined && output.includes(enough) && shell.pid !== undefined) {
      process.kill(-shell.pid);
    }
  });
  await ended;
  return output;
}

test('finds the guides', () => {
  const answers = GUIDES.flatMap(({ steps }) => steps.filter(({ shown }) => shown !== null));
  expect(answers.length).toBeGreaterThan(8);
});

describe.each(GUIDES)('$document', ({ steps }) => {
  test('shows requests that the gateway accepts, and its answers', async () => {
    for (const { command, shown } of steps) {
      if (shown?.language === 'text') {
        const [first = ''] = shown.text.split('\n');
        expect(await outputOf(command, first)).toContain(first);
      } else {
        const answer = JSON.parse(await outputOf(command));
        if (shown === null) {
          expect(answer).toMatchObject({ status: 200 });
        } else {
          expect(answer).toEqual(expected(shown));
        }
      }
    }
  });
});

/** What is shown, where an ellipsis stands for the rest of a text or of an object. */
function expected({ text }: Block): object {
  return JSON.parse(text, (_name, value: unknown) => {
    if (typeof value === 'string' && value.endsWith('…')) {
      return expect.stringContaining(value.slice(0, -1).replace(DEFAULT_ADDRESS, baseUrl));
    }
    if (typeof value === 'object' && value !== null && '…' in value) {
      const { '…': _rest, ...fields } = value;
      return expect.objectContaining(fields);
    }
    return value;
  });
}
