import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kefel, VERSION } from '../typescript/kefel.ts';
import { type Given, UsageError } from './command.ts';
import { printNote } from './output.ts';

/** Which gateway a command calls, and with which key. */
export interface Access {
  readonly apiKey: string;
  readonly baseUrl: string;
}

export const USER_AGENT = `kefel-cli/${VERSION}`;

/** What `npm run dev` writes in the folder of the checkout. */
const DEMO_FILE = join('.wrangler', 'demo-merchant.json');
const DEFAULT_LOCAL_URL = 'http://localhost:8787';
const SANDBOX_PREFIX = 'kfl_test_';
const API_KEY = /^kfl_(?:test|live)_[0-9A-Za-z]+$/;
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

interface DemoMerchant {
  readonly baseUrl?: string;
  readonly sandboxApiKey?: string;
}

/** From the options, else the environment, else the gateway that `npm run dev` runs here. */
export async function accessOf(given: Given): Promise<Access> {
  const demo = await demoMerchant();
  const ownKey = given.text('key') ?? process.env.KEFEL_API_KEY;
  const apiKey = (ownKey ?? demo?.sandboxApiKey ?? '').trim();
  if (apiKey === '') {
    throw new UsageError(`There is no API key. Do one of these:
  kefel … --key kfl_test_…           a key of the dashboard
  export KEFEL_API_KEY=kfl_test_…    the same for all commands
  npm run dev                        in a checkout of Kefel: a gateway with a demo merchant`);
  }
  if (!API_KEY.test(apiKey)) {
    throw new UsageError(
      'This is no API key: copy kfl_test_… or kfl_live_… from the dashboard, and nothing else.',
    );
  }
  const localUrl = demo === null ? undefined : (demo.baseUrl ?? DEFAULT_LOCAL_URL);
  const ownUrl = given.text('url') ?? process.env.KEFEL_URL;
  const url = ownUrl ?? localUrl;
  if (url === undefined || url === '') {
    throw new UsageError(
      'Which gateway? Add --url https://pay.example.com, or set KEFEL_URL: the address of your checkout pages.',
    );
  }
  const baseUrl = checkedUrl(url);
  // Another user may have written the file of this folder, and any program may listen on this
  // machine.
  if (ownKey !== undefined && ownUrl === undefined) {
    throw new UsageError(
      `Which gateway is your key for? Add --url, or set KEFEL_URL. Only ${DEMO_FILE} in this folder names one: ${baseUrl}`,
    );
  }
  return { apiKey, baseUrl };
}

/** The same for commands that work only in the sandbox. */
export async function sandboxAccessOf(given: Given): Promise<Access> {
  const access = await accessOf(given);
  if (!access.apiKey.startsWith(SANDBOX_PREFIX)) {
    throw new UsageError(
      `This works only in the sandbox: use a key that starts with ${SANDBOX_PREFIX}, from the dashboard's sandbox.`,
    );
  }
  return access;
}

/** The client, which names this program to the gateway instead of itself. */
export function clientOf(access: Access, onWarning = printWarning): Kefel {
  return new Kefel({
    ...access,
    onWarning,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('user-agent', USER_AGENT);
      return fetch(input, { ...init, headers });
    },
  });
}

function printWarning(warning: string): void {
  printNote(`Warning: ${warning}`);
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(text);
  if (!isPlain || url.username !== '' || url.password !== '') {
    throw new UsageError('This is no address of a gateway: write --url https://pay.example.com');
  }
  if (url.pathname.includes('/api/v1/payment')) {
    throw new UsageError(`Write only the address of the gateway: --url ${url.origin}`);
  }
  if (url.protocol === 'http:' && !isLocal(url.origin)) {
    throw new UsageError(`Use https for ${url.host}: plain http exposes your key.`);
  }
  return url.origin;
}

function isLocal(origin: string): boolean {
  return LOCAL_HOST.test(new URL(origin).hostname);
}

async function demoMerchant(): Promise<DemoMerchant | null> {
  let text: string;
  try {
    text = await readFile(DEMO_FILE, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return null;
    }
    throw error;
  }
  return JSON.parse(text) as DemoMerchant;
}
