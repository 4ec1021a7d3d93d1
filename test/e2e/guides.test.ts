import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/**
 * Goal: the commands of the guides work as shown. Method: run each page's blocks of shell in order
 * against the shared gateway, and compare every answer with the block of JSON below it.
 */

const GUIDES = ['hosted-payments', 'express-payments', 'refunds'];
const DEFAULT_ADDRESS = 'http://localhost:8787';
const run = promisify(execFile);
const { baseUrl, merchants } = inject('sandbox');
const { sandboxApiKey } = merchants.conformance;

interface Step {
  readonly command: string;
  readonly shown: object;
}

function stepsOf(guide: string): readonly Step[] {
  const page = readFileSync(join(PROJECT_DIRECTORY, 'docs', `${guide}.md`), 'utf8');
  return [...page.matchAll(/^```sh\n(.*?)^```\n^```json\n(.*?)^```/gms)].map(
    ([, command = '', shown = '']) => ({ command, shown: JSON.parse(shown) }),
  );
}

describe.each(GUIDES)('%s', (guide) => {
  it('shows answers that the gateway gives', async () => {
    const steps = stepsOf(guide);
    expect(steps.length).toBeGreaterThan(1);
    for (const { command, shown } of steps) {
      const script = command.replaceAll(DEFAULT_ADDRESS, baseUrl);
      const environment = { ...process.env, KEY: sandboxApiKey };
      const { stdout } = await run('bash', ['-ec', script], { env: environment });
      expect(JSON.parse(stdout)).toMatchObject(expected(shown));
    }
  });
});

/** What is shown, where an ellipsis stands for any text. */
function expected(shown: object): object {
  return JSON.parse(JSON.stringify(shown), (_name, value: unknown) =>
    typeof value === 'string' && value.endsWith('…')
      ? expect.stringContaining(value.slice(0, -1).replace(DEFAULT_ADDRESS, baseUrl))
      : value,
  );
}
