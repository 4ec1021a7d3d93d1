import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { given } from '../../clients/cli/command.ts';
import { commandIn } from '../../clients/cli/commands.ts';
import { commandsOf } from '../support/documents/commands.ts';
import { blocksOf, DOCUMENTS } from '../support/documents/markdown.ts';
import { CliRun } from '../support/e2e-cli.ts';
import { type Endpoint, status } from '../support/e2e-merchant-server.ts';
import {
  createSimulated,
  eventually,
  hostedBody,
  joinScene,
  type Scene,
} from '../support/e2e-scene.ts';

/**
 * Goal: every `kefel` command of the documents does what its page says, and `kefel listen` prints
 * what docs/sandbox.md#cli shows. Method: the commands in the order of their pages, in this process but for
 * `listen`, against the shared gateway. It has the payment and the event that the page names.
 */

/** Where the page's own server listens. */
const OWN_SERVER = 'http://localhost:3000/webhooks';
const DEFAULT_ADDRESS = 'http://localhost:8787';
const PAYMENT = 'order-1001';
const OPEN_PAYMENT = 'order-2001';
const EVENT = /^evt_[0-9a-f]{32}$/;
const ANSWERS = Array.from({ length: 10 }, () => status(204));

/** What each command prints, by its name. */
const OUTPUTS: Readonly<Record<string, RegExp>> = {
  trigger: /^trigger-\w+-[0-9a-f]{8}: /,
  refund: /^refund-\S+: PENDING, \d+\.\d\d ETB of order-1001$/,
  refunds: /refund-1001-1/,
  payments: /FAILED|order-1001/,
  events: /dead|evt_/,
  resend: /queued|sent again|204 from/,
  cancel: /: CANCELED$/,
  endpoints: /^(?:None\.|we_)/,
  links: /\/pay\/\S+$|"url": "http/,
};

/** Their lists follow the payments within seconds. */
const LAGGING = ['refunds', 'payments', 'events'];

let scene: Scene;
let ownServer: Endpoint;
const printed: string[] = [];

beforeAll(async () => {
  scene = await joinScene('documents');
  ownServer = scene.server.endpoint(...ANSWERS);
  vi.spyOn(console, 'log').mockImplementation((text) => printed.push(String(text)));
});

afterAll(() => scene?.close());

/** The words after `kefel`, each line once. Without words it is a name; --help has a test. */
async function documentedLines(): Promise<readonly (readonly string[])[]> {
  const lines = (await commandsOf(DOCUMENTS))
    .map(({ words }) => (words[0] === 'npx' ? words.slice(1) : words))
    .filter(([program]) => program === 'kefel')
    .map((words) => words.slice(1))
    .filter((words) => words.length > 0 && !words.includes('--help'));
  return [...new Map(lines.map((words) => [words.join(' '), words])).values()];
}

/** What a command prints. */
async function outputOf(words: readonly string[]): Promise<string> {
  const found = commandIn(words);
  if (found === null) {
    throw new Error(`kefel has no command ${words[0]}`);
  }
  const { name, command, rest } = found;
  const access = ['--key', scene.merchant.sandboxApiKey, '--url', scene.gateway.baseUrl];
  printed.length = 0;
  await command.run(given(name, command, [...rest, ...access]));
  return printed.join('\n');
}

function listen(words: readonly string[]): CliRun {
  const { sandboxApiKey } = scene.merchant;
  return new CliRun(words, { KEFEL_API_KEY: sandboxApiKey, KEFEL_URL: scene.gateway.baseUrl });
}

/** Without what differs from run to run: ids, secrets, addresses, times. */
function plain(text: string): string {
  return text
    .replaceAll(OWN_SERVER, ownServer.url)
    .replaceAll(DEFAULT_ADDRESS, scene.gateway.baseUrl)
    .replaceAll(/whsec_\S+/g, 'whsec_…')
    .replaceAll(/evt_[0-9a-f]{32}/g, 'evt_…')
    .replaceAll(/\d+ ms/g, '… ms');
}

test('each documented command does what its page says', async () => {
  const lines = await documentedLines();
  const listens = lines.filter(([name]) => name === 'listen');
  const listening = listens.map((words) =>
    listen(words.map((word) => word.replace(OWN_SERVER, ownServer.url))),
  );
  await Promise.all(listening.map((run) => run.until('Listening')));
  const named = { paymentIntentUniqueId: PAYMENT, paymentLinkUniqueId: 'link-7001' };
  const { hook } = await createSimulated(scene, [], named);
  const eventId = (await hook.request(0)).headers['webhook-id'] ?? '';
  await Promise.all(listening.map((run) => run.until(eventId)));
  // For the list of events that were not delivered; later, so that the page's event comes first.
  await createSimulated(scene, [status(410)]);
  await scene.sandbox.hosted(hostedBody({ paymentIntentUniqueId: OPEN_PAYMENT }));
  await eventually(
    () => outputOf(['events']),
    (text) => text.includes(eventId),
  );

  const others = lines.filter(([name]) => name !== 'listen');
  expect(others.length).toBeGreaterThan(15);
  for (const words of others) {
    const line = words.map((word) =>
      word.replace(OWN_SERVER, ownServer.url).replace(EVENT, eventId),
    );
    const [name = ''] = line;
    const expected = OUTPUTS[name] ?? /^$/;
    if (LAGGING.includes(name)) {
      await eventually(
        () => outputOf(line),
        (output) => expected.test(output),
      );
    } else {
      expect(await outputOf(line), line.join(' ')).toMatch(expected);
    }
  }

  const shown = blocksOf('docs/sandbox.md').find(({ text }) => text.startsWith('Forwarding to'));
  const forwarding = listening[listens.findIndex((words) => words.includes('--forward-to'))];
  await forwarding?.until(' 204 from ');
  expect(plain(forwarding?.output ?? '')).toContain(plain(shown?.text ?? 'nothing'));
  await Promise.all(listening.map((run) => run.stop()));
});
