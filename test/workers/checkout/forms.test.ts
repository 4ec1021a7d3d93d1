import { expect, test, vi } from 'vitest';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import {
  answerOf,
  call,
  cancelPath,
  clientOf,
  createHosted,
  execute,
  intentOf,
  pathOf,
  postForm,
  resolveAttempt,
  startRedirect,
  useGateway,
} from '../support.ts';

/**
 * Goal: one form of the customer's page starts one attempt, even when posts race
 * (docs/promises.md#4). Method: each post reads the payment before it starts anything, so the test
 * lets the other request run at the end of that read. The post then acts on outdated state.
 */

useGateway();

/** Where a choice of method redirects to. */
async function chosen(checkoutUrl: string, attempts: string): Promise<string | null> {
  const choice = { method: 'TELE_BIRR', attempts };
  const response = await postForm(`${pathOf(checkoutUrl)}/attempts`, choice);
  await response.body?.cancel();
  expect(response.status).toBe(303);
  return response.headers.get('location');
}

/** `meanwhile` runs after the next post has read the payment, and before the post acts on it. */
function afterTheNextRead(meanwhile: () => Promise<unknown>): void {
  const read = IntentClient.prototype.read;
  vi.spyOn(IntentClient.prototype, 'read').mockImplementationOnce(async function (
    this: IntentClient,
  ) {
    const outdated = await read.call(this);
    await meanwhile();
    return outdated;
  });
}

async function startsOf(): Promise<number> {
  const history = await clientOf().history();
  return history.filter(({ command }) => command === 'start_attempt').length;
}

test('promises.md#4: a form whose attempt the provider has rejected at once starts no second attempt', async () => {
  const checkoutUrl = await createHosted();
  const start = vi
    .spyOn(simulator, 'start')
    .mockResolvedValue({ type: 'refused', reason: 'declined' });
  afterTheNextRead(() => chosen(checkoutUrl, '0'));
  expect(await chosen(checkoutUrl, '0')).toBe(pathOf(checkoutUrl));
  expect(start).toHaveBeenCalledTimes(1);
  expect(await startsOf()).toBe(1);
  expect(await intentOf()).toMatchObject({ status: 'open', attempts: [{ status: 'failed' }] });

  start.mockRestore();
  expect(await chosen(checkoutUrl, '0')).toBe(pathOf(checkoutUrl));
  expect(await chosen(checkoutUrl, '1')).toMatch(/\/simulator\//);
  expect(await startsOf()).toBe(2);
});

test('promises.md#4: a form sent again while its attempt is in flight leads to that attempt', async () => {
  const checkoutUrl = await createHosted();
  const locations: (string | null)[] = [];
  afterTheNextRead(async () => locations.push(await chosen(checkoutUrl, '0')));
  locations.push(await chosen(checkoutUrl, '0'));
  expect(locations[0]).toMatch(/\/simulator\//);
  expect(locations[1]).toBe(locations[0]);
  expect(await startsOf()).toBe(1);
});

test('promises.md#4: a form says that the payment is paid when it was paid during the request', async () => {
  const checkoutUrl = await createHosted();
  afterTheNextRead(() => execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded')));
  const alreadyPaid = `${pathOf(checkoutUrl)}?already=1`;
  expect(await chosen(checkoutUrl, '0')).toBe(alreadyPaid);
  // The same for a payment that was paid before.
  expect(await chosen(checkoutUrl, '1')).toBe(alreadyPaid);
  expect(await startsOf()).toBe(1);
});

test('starts nothing for a form that our pages do not send', async () => {
  const path = pathOf(await createHosted());
  const made = ['', '-1', '0.0', '1e1', '0x0', ' 0', '0\n', '٠', '0000', 'null'];
  for (const attempts of [{}, ...made.map((text) => ({ attempts: text }))]) {
    const response = await postForm(`${path}/attempts`, { method: 'TELE_BIRR', ...attempts });
    expect([attempts, response.status]).toEqual([attempts, 400]);
    const html = await response.text();
    expect(html).toContain('That did not work');
    expect(html).toContain(`href="${path}"`);
  }
  expect(await intentOf()).toMatchObject({ status: 'open', version: 1, attempts: [] });
});

test('promises.md#4: of two forms at the same time, one starts the attempt to which both lead', async () => {
  const checkoutUrl = await createHosted();
  const [one, other] = await Promise.all([chosen(checkoutUrl, '0'), chosen(checkoutUrl, '0')]);
  expect(one).toMatch(/\/simulator\//);
  expect(other).toBe(one);
  expect(await startsOf()).toBe(1);
});

test.each([true, false])(
  'promises.md#4: a form and a cancellation at the same time act as if one came first (form sent first: %s)',
  async (isFormFirst) => {
    const checkoutUrl = await createHosted();
    const found: Record<string, unknown> = {};
    const sends = [
      async () => {
        found.location = await chosen(checkoutUrl, '0');
      },
      async () => {
        found.canceled = (await answerOf(call(cancelPath('order-1'), { method: 'POST' }))).status;
      },
    ];
    await Promise.all((isFormFirst ? sends : sends.reverse()).map((send) => send()));
    const { status, attempts } = await intentOf();
    const toSimulator = expect.stringMatching(/\/simulator\//);
    expect([
      { location: toSimulator, canceled: 409, status: 'processing', attempts: 1 },
      { location: pathOf(checkoutUrl), canceled: 200, status: 'canceled', attempts: 0 },
    ]).toContainEqual({ ...found, status, attempts: attempts.length });
  },
);
