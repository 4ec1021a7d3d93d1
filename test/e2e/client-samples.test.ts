import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  phpSamples,
  pythonSamples,
  type ReceivedWebhook,
  type SampleRunner,
  samplesOf,
  typescriptSamples,
} from '../support/clients/samples.ts';
import { DOCUMENTS, readDocument } from '../support/documents/markdown.ts';
import {
  createSimulated,
  eventually,
  joinScene,
  newId,
  paymentOf,
  type Scene,
} from '../support/e2e-scene.ts';

/**
 * Goal: the samples of the clients' documentation and of the guides work as they are printed. Method:
 * run them beside a copy of the client, with ids of their own.
 */

interface Language {
  readonly language: string;
  readonly folder: string;
  readonly start: () => Promise<SampleRunner>;
}

const LANGUAGES: readonly Language[] = [
  { language: 'ts', folder: 'typescript', start: typescriptSamples },
  { language: 'php', folder: 'php', start: phpSamples },
  { language: 'python', folder: 'python', start: pythonSamples },
];

/** The id of every sample, which a payment can have only once. */
const SAMPLE_ID = 'order-6001';

/** Ids of the guides. */
const GUIDE_IDS = /\b(?:order|refund|link)-\d{4}\b/g;
const DEFAULT_ADDRESS = 'http://localhost:8787';
/** What a line prints, as its comment says. */
const PRINTED = /^(?:console\.log|echo|print)\b.*?(?:;|\)) +(?:\/\/|#) (.*)$/gm;

/** The pages that show each call in curl and in the three languages. */
const GUIDES = DOCUMENTS.filter(
  (document) =>
    readDocument(document).includes('**TypeScript**') && samplesOf(document, 'ts').length > 0,
);

let scene: Scene;
/** The payment that docs/lists.md#lists looks for. */
let paidInBole: string;

beforeAll(async () => {
  scene = await joinScene('samples');
  const { uniqueId } = await createSimulated(scene, [], { metadata: { branch: 'Bole' } });
  paidInBole = uniqueId;
});

afterAll(() => scene?.close());

describe.each(LANGUAGES)('clients/$folder/README.md', ({ language, folder, start }) => {
  const readme = `clients/${folder}/README.md`;
  let runner: SampleRunner;

  beforeAll(async () => {
    runner = await start();
  });

  afterAll(() => runner?.close());

  /** What a sample prints about the payment. */
  function print(sample: string, id: string): Promise<string> {
    return runner.print(sample.replaceAll(SAMPLE_ID, id), {
      KEFEL_API_KEY: scene.merchant.sandboxApiKey,
      KEFEL_URL: scene.gateway.baseUrl,
    });
  }

  test('makes its first payment', async () => {
    const [pay = ''] = samplesOf(readme, language);
    const id = newId();
    const printed = await print(pay, id);
    expect(printed).toMatch(/^http:\/\/localhost:\d+\/checkout\/\S+\n$/);
    expect(await paymentOf(scene, id)).toMatchObject({ status: 'OPEN', totalAmount: 15_000 });
  });

  test('refunds a part of a payment', async () => {
    const [, , refund = ''] = samplesOf(readme, language);
    const { uniqueId, hook } = await createSimulated(scene, [], { amount: 150.5 });
    await hook.request(0);
    expect(await print(refund, uniqueId)).toBe('PENDING\n');
    await eventually(
      () => paymentOf(scene, uniqueId),
      ({ refundedAmount }) => refundedAmount === 5_000,
    );
  });

  test('has the samples that docs/clients.md shows', async () => {
    expect(samplesOf('docs/clients.md', language)).toEqual(samplesOf(readme, language));
  });

  test.each(GUIDES)('prints in %s what the page says', async (page) => {
    const samples = samplesOf(page, language);
    expect(samples).toHaveLength(samplesOf(page, 'ts').length);
    const program = samples
      .join('\n')
      .replaceAll(DEFAULT_ADDRESS, scene.gateway.baseUrl)
      .replaceAll(GUIDE_IDS, (id) => `${id}-${language}`);
    await eventually(
      () => isListed(scene, paidInBole),
      (found) => found,
    );
    const expected = [...program.matchAll(PRINTED)].map(([, text = '']) => text);
    const printed = await runner.print(program, { KEFEL_API_KEY: scene.merchant.sandboxApiKey });
    const lines = printed
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith(paidInBole));
    expect(expected).not.toEqual([]);
    expect(lines.map((line, index) => abridgedLike(expected[index] ?? '', line))).toEqual(expected);
    expect(printed.includes(paidInBole)).toBe(page === 'docs/lists.md');
  });

  test('accepts an authentic webhook and no other', async () => {
    const [, receive = ''] = samplesOf(readme, language);
    const { hook } = await createSimulated(scene);
    const { rawBody, headers } = await hook.request(0);
    const webhook: ReceivedWebhook = { rawBody: rawBody.toString(), headers };
    const environment = {
      KEFEL_WEBHOOK_SECRET: scene.keys.secret,
      KEFEL_MERCHANT_ID: scene.merchant.id,
    };
    expect(await runner.receive(receive, webhook, environment)).toBe(204);
    const forged = { ...webhook, rawBody: webhook.rawBody.replace('SUCCESS', 'FAILED') };
    expect(await runner.receive(receive, forged, environment)).toBe(400);
    const other = { ...environment, KEFEL_MERCHANT_ID: 'another' };
    expect(await runner.receive(receive, webhook, other)).toBe(400);
  });
});

/** `line`, shortened where the page ends in an ellipsis. */
function abridgedLike(shown: string, line: string): string {
  const start = shown.slice(0, -1);
  return shown.endsWith('…') && line.startsWith(start) ? shown : line;
}

async function isListed({ gateway, merchant }: Scene, uniqueId: string): Promise<boolean> {
  const headers = { apiKey: merchant.sandboxApiKey };
  const list = `${gateway.baseUrl}/api/v1/payment/sandbox/intents?metadata[branch]=Bole`;
  return (await (await fetch(list, { headers })).text()).includes(uniqueId);
}
