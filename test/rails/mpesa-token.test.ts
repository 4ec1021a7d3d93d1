import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MpesaStandIn, startMpesaStandIn } from '../../scripts/stand-ins/mpesa.ts';
import { jsonReply, type StandIn, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import { mpesaRail } from '../../src/rails/mpesa/rail.ts';
import type { Rail } from '../../src/rails/rail.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import {
  PHONE,
  SAMPLE_ANSWER,
  SAMPLE_TOKEN_TEXT,
  settingsOf,
  VALID_SETTINGS,
} from '../support/rails/mpesa-fixtures.ts';
import { freshReference, orderFor } from '../support/rails/order.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

describe('the token', () => {
  let own: MpesaStandIn;
  beforeEach(async () => {
    own = await startMpesaStandIn();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await own.stop();
  });
  const paths = () => own.calls.map(({ url }) => (url.startsWith('/v1/token') ? 'token' : 'push'));

  it('of the sample is sent unchanged and used until its last minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const rail = await StandInServer.start(async ({ method, body }) =>
      method === 'GET'
        ? { type: 'answer', status: 200, body: SAMPLE_TOKEN_TEXT }
        : jsonReply(200, { ...SAMPLE_ANSWER, MerchantRequestID: referenceIn(body) }),
    );
    const adapter = mpesaRail(settingsOf({ ...VALID_SETTINGS, baseUrl: rail.baseUrl }));
    expect(await adapter.start(newOrder())).toMatchObject({ type: 'accepted' });
    // Its lifetime is 3,599 s.
    vi.advanceTimersByTime(3_538_000);
    await adapter.start(newOrder());
    expect(rail.calls.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
    vi.advanceTimersByTime(2_000);
    await adapter.start(newOrder());
    expect(rail.calls.map(({ method }) => method).slice(3)).toEqual(['GET', 'POST']);
    const bearers = rail.calls.map(({ headers }) => headers.authorization);
    expect(bearers.filter((value) => value === 'Bearer <opaque>')).toHaveLength(3);
    await rail.stop();
  });

  it('is requested once while it is valid, even by another adapter with the same settings', async () => {
    for (const rail of [railOf(own), railOf(own)]) {
      expect(await rail.start(newOrder())).toMatchObject({ type: 'accepted' });
    }
    expect(paths()).toEqual(['token', 'push', 'push']);
  });

  it('differs for another account', async () => {
    await railOf(own).start(newOrder());
    const other = mpesaRail(settingsOf({ ...own.settings, consumerSecret: 'wrong' }));
    const result = await other.start(newOrder());
    expect(result).toMatchObject({ type: 'refused', reason: 'misconfigured' });
  });

  it('is not used in its last minute', async () => {
    own.setTokenLifetime(60);
    await railOf(own).start(newOrder());
    await railOf(own).start(newOrder());
    expect(paths()).toEqual(['token', 'push', 'token', 'push']);
  });

  it('is renewed when M-PESA refuses it, and the push is repeated once', async () => {
    await railOf(own).start(newOrder());
    own.revokeTokens();
    expect(await railOf(own).start(newOrder())).toMatchObject({ type: 'accepted' });
    expect(paths()).toEqual(['token', 'push', 'push', 'token', 'push']);
  });

  it('is misconfigured when M-PESA refuses it twice', async () => {
    own.setTokenLifetime(0);
    const result = await railOf(own).start(newOrder());
    expect(result).toMatchObject({ type: 'refused', reason: 'misconfigured' });
    expect(paths()).toEqual(['token', 'push', 'token', 'push']);
  });

  it.each([
    ['resets', { type: 'reset' }, 'rail_unavailable'],
    ['hangs', { type: 'hang' }, 'rail_unavailable'],
    ['breaks off', { type: 'truncated', body: '{"access_token":"abc"}' }, 'rail_unavailable'],
    ['fails', { type: 'answer', status: 503, body: '<html>' }, 'rail_unavailable'],
    ['is 429', { type: 'answer', status: 429, body: '' }, 'rail_unavailable'],
    ['redirects', { type: 'answer', status: 302, body: '' }, 'rail_unavailable'],
    ['is empty', jsonReply(200, {}), 'rail_unavailable'],
    ['does not fit in a header', jsonReply(200, { access_token: 'a\nb' }), 'rail_unavailable'],
    ['refuses', jsonReply(200, { resultCode: '999991' }), 'misconfigured'],
    ['refuses by number', jsonReply(200, { resultCode: 999997 }), 'misconfigured'],
    ['refuses without a body', { type: 'answer', status: 401, body: '' }, 'misconfigured'],
  ] as const)('call that %s: nothing was pushed', async (_name, reply, reason) => {
    endTimeoutsOnSilence();
    own.answerTokens(reply);
    expect(await railOf(own).start(newOrder())).toMatchObject({
      type: 'refused',
      reason,
    });
    expect(paths()).toEqual(['token']);
  });

  it('is used but not cached without a lifetime', async () => {
    const lives: readonly unknown[] = [undefined, null, 'soon', '-5', 1e300, { toString: 1 }];
    for (const expires_in of lives) {
      own.answerTokens(jsonReply(200, { access_token: 'unknown-to-the-rail', expires_in }));
      const before = own.calls.length;
      await railOf(own).start(newOrder());
      expect(paths().slice(before)).toEqual(['token', 'push', 'token', 'push']);
    }
  });
});

function railOf({ settings }: StandIn): Rail {
  return mpesaRail(settingsOf(settings));
}

function newOrder(): RailOrder {
  return orderFor(mpesaRail(settingsOf(VALID_SETTINGS)), 'M_PESA', {
    attempt: { reference: freshReference(), phone: PHONE },
  });
}

function referenceIn(pushBody: string): unknown {
  return JSON.parse(pushBody).MerchantRequestID;
}
