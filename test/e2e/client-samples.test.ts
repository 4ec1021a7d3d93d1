import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  phpSamples,
  pythonSamples,
  type ReceivedWebhook,
  type SampleRunner,
  samplesOf,
  typescriptSamples,
} from '../support/clients/samples.ts';
import {
  createSimulated,
  eventually,
  joinScene,
  newId,
  paymentOf,
  type Scene,
} from '../support/e2e-scene.ts';

/** Goal: the samples of the clients' documentation work as they are printed. */

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
const SAMPLE_ID = 'order-1001';

let scene: Scene;

beforeAll(async () => {
  scene = await joinScene();
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
    expect(await paymentOf(scene, id)).toMatchObject({ status: 'OPEN', totalAmount: 15_050 });
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

  test('accepts an authentic webhook and no other', async () => {
    const [, receive = ''] = samplesOf(readme, language);
    const { hook } = await createSimulated(scene);
    const { rawBody, headers } = await hook.request(0);
    const webhook: ReceivedWebhook = { rawBody: rawBody.toString(), headers };
    const environment = { KEFEL_WEBHOOK_SECRET: scene.keys.secret };
    expect(await runner.receive(receive, webhook, environment)).toBe(204);
    const forged = { ...webhook, rawBody: webhook.rawBody.replace('SUCCESS', 'FAILED') };
    expect(await runner.receive(receive, forged, environment)).toBe(400);
  });
});
