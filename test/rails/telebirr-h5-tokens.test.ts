import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readToken } from '../../src/engine/rails/telebirr-h5/answers.ts';
import { type TelebirrScene, telebirrScene } from '../support/rails/telebirr-h5.ts';

/** Goal: token requests are rare, and no order is created without a token. */

const MINUTE_MS = 60_000;

let scene: TelebirrScene;
beforeAll(async () => {
  scene = await telebirrScene();
});
afterAll(() => scene.stop());

function callsSince(index: number): string[] {
  return scene.standIn.calls.slice(index).map(({ url }) => url.split('/').at(-1) ?? '');
}

describe('tokens', () => {
  afterEach(() => {
    vi.useRealTimers();
    scene.standIn.behavior.token = undefined;
    scene.standIn.behavior.tokenLifetimeSeconds = 3_600;
    scene.standIn.dropTokens();
  });

  test('serve many calls, until a minute before they end', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const startedAtMs = Date.now();
    await scene.rail.start(scene.order());
    const callsBefore = scene.standIn.calls.length;
    await scene.rail.start(scene.order());
    vi.setSystemTime(startedAtMs + 58 * MINUTE_MS);
    await scene.rail.query?.(scene.order(), Date.now());
    expect(callsSince(callsBefore)).toEqual(['preOrder', 'queryOrder']);
    vi.setSystemTime(startedAtMs + 59 * MINUTE_MS + 1_000);
    expect((await scene.rail.start(scene.order())).type).toBe('accepted');
    expect(callsSince(callsBefore)).toEqual(['preOrder', 'queryOrder', 'token', 'preOrder']);
  });

  test('are used but not cached if their lifetime is too short', async () => {
    scene.standIn.behavior.tokenLifetimeSeconds = 59;
    await scene.rail.start(scene.order());
    const callsBefore = scene.standIn.calls.length;
    await scene.rail.start(scene.order());
    await scene.rail.start(scene.order());
    expect(callsSince(callsBefore)).toEqual(['token', 'preOrder', 'token', 'preOrder']);
  });
});

describe('answers to a token request', () => {
  const dates = { effectiveDate: '20230321063519', expirationDate: '20230321073519' };

  function token(status: number, value: unknown) {
    return readToken({ status, text: JSON.stringify(value) }, 60_000);
  }

  test('are read as documented', () => {
    expect(token(200, { ...dates, token: 'Bearer abc' })).toEqual({
      type: 'token',
      token: 'Bearer abc',
      usableUntilMs: 3_600_000,
    });
  });

  test.each([
    ['over New Year', '20261231235959', '20270101005959', 3_600_000],
    ['backwards', '20230321073519', '20230321063519', 0],
    ['unreadable', '2023-03-21', '20230321073519', 0],
    ['missing', undefined, undefined, 0],
  ])('its life %s', (_what, effectiveDate, expirationDate, lifetimeMs) => {
    const value = { effectiveDate, expirationDate, token: 'Bearer abc' };
    expect(token(200, value)).toMatchObject({ type: 'token', usableUntilMs: lifetimeMs });
  });

  test.each([
    [200, { ...dates, token: 'Bearer a\r\nx-evil: 1' }, 'rail_unavailable'],
    [200, { ...dates }, 'rail_unavailable'],
    [200, [], 'rail_unavailable'],
    [200, { errorCode: '60320006' }, 'misconfigured'],
    [500, { errorCode: '49401024991' }, 'rail_unavailable'],
    [500, { errorCode: '500' }, 'rail_unavailable'],
    [500, { errorCode: '60200098' }, 'misconfigured'],
    [400, { errorCode: '49401021002' }, 'rail_unavailable'],
    [401, {}, 'misconfigured'],
    [403, 'no', 'misconfigured'],
    [404, {}, 'misconfigured'],
    [429, {}, 'rail_unavailable'],
    [500, {}, 'rail_unavailable'],
    [503, 'no', 'rail_unavailable'],
  ])('%i %j: %s', (status, value, reason) => {
    expect(token(status, value)).toMatchObject({ type: 'no_token', reason, status });
  });
});
