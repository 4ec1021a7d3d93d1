import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/** The environment of a merchant's program. */
export interface Merchant {
  readonly KEFEL_API_KEY: string;
  readonly KEFEL_URL: string;
}

const SAMPLE_ID = 'order-1001';

const execute = promisify(execFile);

/** Where the packages are written and empty projects are made, and the gateway that they call. */
export class Stage {
  /** Gets the packages. */
  readonly output: string;
  readonly merchant: Merchant;
  readonly #scratch: string;

  constructor(output: string, scratch: string, { sandboxApiKey, baseUrl }: DemoMerchant) {
    this.output = output;
    this.#scratch = scratch;
    this.merchant = { KEFEL_API_KEY: sandboxApiKey, KEFEL_URL: baseUrl };
  }

  /** A new folder without anything of this checkout in it or above it. */
  async emptyProject(name: string): Promise<string> {
    const directory = join(this.#scratch, name);
    await mkdir(directory);
    return directory;
  }

  /** The first sample of a client's README, with an id that no other run uses. */
  firstPayment(client: string, language: string): string {
    const readme = readFileSync(join(PROJECT_DIRECTORY, 'clients', client, 'README.md'), 'utf8');
    const [, sample = ''] =
      new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(readme) ?? [];
    return sample.replace(SAMPLE_ID, randomUUID());
  }

  /** Throws unless a program printed the address of a checkout page that opens. */
  async expectPage(printed: string): Promise<void> {
    const url = printed.trim();
    if (!url.startsWith(`${this.merchant.KEFEL_URL}/checkout/`)) {
      throw new Error(`printed no address of a page: ${printed}`);
    }
    const { status } = await fetch(url);
    if (status !== 200) {
      throw new Error(`the page of the payment answers ${status}`);
    }
  }

  /** What a program prints. It sees the merchant's variables, and nothing of npm's. */
  async run(program: string, args: readonly string[], directory: string): Promise<string> {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', ...this.merchant };
    return (await execute(program, args, { cwd: directory, env })).stdout;
  }
}
