import { childrenOf, treeCpuTimeMs } from '../harness/cpu.ts';
import type { Stage } from './stage.ts';
import { SANDBOX_KEY } from './template.ts';
import { send } from './wire.ts';

/** Finds work that grows faster than its input, by the processor time of two sizes of it. */

const SMALL_BYTES = 4_000;
const LARGE_BYTES = 60_000;
/** Enough that the kernel's ticks of 10 ms do not count. */
const REQUESTS = 60;
/** The large input is 15 times the small one: linear work takes at most 15 times as long, quadratic 225. */
const GROWTH_MAX = 30;
const TIMEOUT_MS = 30_000;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const CREATE = '/api/v1/payment/sandbox/intent';

/** `text` repeated to about this many bytes. */
function filled(text: string, bytes: number): string {
  return text.repeat(Math.floor(bytes / text.length));
}

/** What a request consists of, the path that takes it, and its body of about this many bytes. */
type Input = readonly [name: string, target: string, body: (bytes: number) => string];

const INPUTS: readonly Input[] = [
  ...(
    [
      ['callbackUrl', 'http://a'],
      ['callbackUrl', 'a-.'],
      ['returnUrl', 'https:'],
      ['paymentIntentUniqueId', ' '],
      ['currency', 'E'],
    ] as const
  ).map(
    ([name, text]): Input => [
      `the field ${name}: ${text}`,
      CREATE,
      (bytes) => JSON.stringify({ [name]: filled(text, bytes) }),
    ],
  ),
  [
    'unknown fields',
    CREATE,
    (bytes) => `{${Array.from({ length: bytes / 8 }, (_, index) => `"x${index}":1`)},"amount":1}`,
  ],
  [
    'nested arrays',
    CREATE,
    (bytes) => `{"items":${filled('[', bytes / 2)}${filled(']', bytes / 2)}}`,
  ],
  ['items', CREATE, (bytes) => `{"items":[${filled('{"a":1},', bytes)}{}]}`],
  ['a form', '/dashboard/sign-in', (bytes) => filled('a=%61&', bytes)],
  ['a report', '/rails/cbe-birr', (bytes) => filled('{"a":', bytes)],
];

/** What takes more than linear time; empty if nothing does. */
export async function growthFaults(stage: Stage): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const input of INPUTS) {
    // Once before, so that no measurement pays for code that is compiled first.
    await cpuTimeMs(stage, input, LARGE_BYTES);
    const small = await cpuTimeMs(stage, input, SMALL_BYTES);
    const large = await cpuTimeMs(stage, input, LARGE_BYTES);
    if (large > small * GROWTH_MAX) {
      faults.push(`${input[0]}: ${small} ms of processor time became ${large} ms`);
    }
  }
  return faults;
}

async function cpuTimeMs(stage: Stage, [, target, body]: Input, bytes: number) {
  const before = await gatewayCpuTimeMs();
  const headers = [
    ['host', new URL(stage.recorder.origin).host],
    ['apikey', stage.credentials[SANDBOX_KEY]],
    ['content-type', target.startsWith('/dashboard') ? FORM_TYPE : JSON_TYPE],
  ] as const;
  const request = { method: 'POST', target, headers, chunkBytes: null };
  for (let number = 0; number < REQUESTS; number += 1) {
    await send(stage.gatewayPort, { ...request, body: Buffer.from(body(bytes)) }, TIMEOUT_MS);
  }
  return (await gatewayCpuTimeMs()) - before;
}

async function gatewayCpuTimeMs(): Promise<number> {
  return treeCpuTimeMs(await childrenOf('self'));
}
