import { afterEach, describe, expect, test, vi } from 'vitest';
import type { NbgStandIn } from '../../scripts/stand-ins/ethswitch-nbg.ts';
import { jsonReply } from '../../scripts/stand-ins/stand-in.ts';
import type { Rail } from '../../src/rails/rail.ts';
import {
  fixture,
  nbgScene,
  nbgSettingsAt,
  orderAt,
  type Receiver,
  railOf,
  scriptedProvider,
} from '../support/rails/ethswitch-scene.ts';
import { orderFor } from '../support/rails/order.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const OFFLINE = railOf(nbgSettingsAt());

describe('the login', () => {
  const paths = ({ calls }: Pick<NbgStandIn, 'calls'>) =>
    calls.map(({ url }) => (url === '/user/auth/login' ? 'login' : 'create'));

  function startNext(rail: Rail, receiver: Receiver, digit: number) {
    const reference = `${REFERENCE.slice(0, 19)}${digit}`;
    return rail.start(orderAt(rail, receiver, { attempt: { reference } }));
  }

  test('is cached for nine tenths of its token’s lifetime', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    vi.useFakeTimers({ toFake: ['Date'] });
    await startNext(rail, receiver, 1);
    // Another instance for the same account, as in a later request, shares the token.
    await startNext(railOf(nbg.settings), receiver, 2);
    vi.advanceTimersByTime(269_000);
    await startNext(rail, receiver, 3);
    expect(paths(nbg)).toEqual(['login', 'create', 'create', 'create']);
    vi.advanceTimersByTime(2_000);
    expect((await startNext(rail, receiver, 4)).type).toBe('accepted');
    expect(paths(nbg).slice(4)).toEqual(['login', 'create']);
  });

  test('is repeated once when NBG has dropped the token', async () => {
    const { nbg, rail, receiver } = await nbgScene();
    await startNext(rail, receiver, 1);
    nbg.expireTokens();
    expect((await startNext(rail, receiver, 2)).type).toBe('accepted');
    expect(paths(nbg)).toEqual(['login', 'create', 'create', 'login', 'create']);
  });

  test('is not repeated again when NBG refuses the new token too', async () => {
    const server = await scriptedProvider(({ url }) =>
      url === '/user/auth/login'
        ? jsonReply(200, { access_token: 'a.b.c', expires_in: 300 })
        : jsonReply(401, {}),
    );
    const rail = railOf(nbgSettingsAt(server.baseUrl));
    expect(await rail.start(orderFor(rail, 'ETS_SWITCH'))).toEqual({
      type: 'refused',
      reason: 'misconfigured',
    });
    expect(paths(server)).toEqual(['login', 'create', 'login', 'create']);
  });

  test('is misconfigured with a wrong password', async () => {
    const { nbg, receiver } = await nbgScene();
    const rail = railOf({ ...nbg.settings, password: 'old' });
    expect(await rail.start(orderAt(rail, receiver))).toEqual({
      type: 'refused',
      reason: 'misconfigured',
    });
    expect(paths(nbg)).toEqual(['login']);
  });

  test.each([
    ['an error', { type: 'answer', status: 502, body: '<html>' }, 'rail_unavailable'],
    ['too many calls', { type: 'answer', status: 429, body: '' }, 'rail_unavailable'],
    ['a reset', { type: 'reset' }, 'rail_unavailable'],
    ['silence', { type: 'hang' }, 'rail_unavailable'],
    ['half an answer', { type: 'truncated', body: '{"access_token":"a"}' }, 'rail_unavailable'],
    ['no JSON', { type: 'answer', status: 200, body: 'OK' }, 'rail_unavailable'],
    ['no token', jsonReply(200, { expires_in: 300 }), 'rail_unavailable'],
    ['a broken token', jsonReply(200, { access_token: 'a\r\nb' }), 'rail_unavailable'],
    ['no such path', { type: 'answer', status: 404, body: '' }, 'misconfigured'],
  ] as const)('answered by %s certainly took nothing', async (_, reply, reason) => {
    endTimeoutsOnSilence();
    const server = await scriptedProvider(() => reply);
    const rail = railOf(nbgSettingsAt(server.baseUrl));
    const result = await rail.start(orderFor(rail, 'ETS_SWITCH'));
    expect(result).toEqual({ type: 'refused', reason });
    expect(paths(server)).toEqual(['login']);
  });

  test('fails when no server listens', async () => {
    expect(await OFFLINE.start(orderFor(OFFLINE, 'ETS_SWITCH'))).toEqual({
      type: 'refused',
      reason: 'rail_unavailable',
    });
  });

  test('uses a token without a lifetime once', async () => {
    const server = await scriptedProvider(({ url }) =>
      url === '/user/auth/login'
        ? jsonReply(200, { access_token: 'a.b.c' })
        : { type: 'answer', status: 201, body: fixture('nbg-created.json') },
    );
    const rail = railOf(nbgSettingsAt(server.baseUrl));
    await rail.start(orderFor(rail, 'ETS_SWITCH'));
    await rail.start(orderFor(rail, 'ETS_SWITCH'));
    expect(paths(server)).toEqual(['login', 'create', 'login', 'create']);
  });
});
