import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createHosted,
  MerchantApi,
  paymentOf,
  type Scene,
  startScene,
} from '../support/e2e-scene.ts';
import { open } from '../support/e2e-visitor.ts';

/** More than `simple.limit` of each binding in wrangler.toml. */
const LINK_LIMIT = 60;
const FAILED_KEY_LIMIT = 30;
const KEY_LIMIT = 1_000;
/** A period may end in the middle, and a busy machine may take several to be fast enough once. */
const MARGIN = 10;
const AT_ONCE = 20;

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});

afterAll(() => scene?.close());

/** Calls until `isOver` or `callsMax`, some at a time; whether it came to that. */
async function callsUntil<T>(
  callsMax: number,
  call: () => Promise<T>,
  isOver: (answer: T) => boolean,
): Promise<T | null> {
  for (let calls = 0; calls < callsMax; calls += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, call));
    const over = answers.find(isOver);
    if (over !== undefined) {
      return over;
    }
  }
  return null;
}

/** One after another: the last of them uses up the merchant's key. */
describe('rate limits: decision 27', () => {
  it('one link, opened too often, is told to wait, and no other', async () => {
    const busy = await createHosted(scene);
    const other = await createHosted(scene);
    const over = await callsUntil(
      LINK_LIMIT * MARGIN,
      () => open(busy.checkoutUrl),
      ({ status }) => status === 429,
    );
    expect(over?.heading).toBe('One moment, please');
    expect(over?.headers.get('retry-after')).toBe('10');
    expect((await open(other.checkoutUrl)).status).toBe(200);
  });

  it('an address that guesses keys is stopped, and the right key is not', async () => {
    const { uniqueId } = await createHosted(scene);
    const guesser = new MerchantApi(scene.gateway.baseUrl, 'kfl_test_guess', 'sandbox');
    const over = await callsUntil(
      FAILED_KEY_LIMIT * MARGIN,
      () => guesser.status('x'),
      ({ status }) => status === 429,
    );
    expect(over?.body).toEqual({ status: 429, message: 'Too many requests' });
    expect(over?.headers.get('retry-after')).toBe('60');
    expect(await paymentOf(scene, uniqueId)).toMatchObject({ status: 'OPEN' });
  });

  it('a key has 1,000 requests in 10 s', async () => {
    const over = await callsUntil(
      KEY_LIMIT * MARGIN,
      () => scene.sandbox.call<unknown>('GET', 'banks'),
      ({ status }) => status === 429,
    );
    expect(over?.body).toEqual({ status: 429, message: 'Too many requests' });
    expect(over?.headers.get('retry-after')).toBe('10');
  });
});
