import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MpesaStandIn, startMpesaStandIn } from '../../scripts/stand-ins/mpesa.ts';
import { jsonReply, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import { bodyText } from '../../src/engine/rails/callback.ts';
import { mpesaRail } from '../../src/engine/rails/mpesa/rail.ts';
import type { Rail } from '../../src/engine/rails/rail.ts';
import { ethiopianDigits } from '../../src/kit/ethiopian-time.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import {
  PHONE,
  SAMPLE_ANSWER,
  SAMPLE_REQUEST,
  SAMPLE_TOKEN_TEXT,
  sampleRequestText,
  settingsOf,
  VALID_SETTINGS,
} from '../support/rails/mpesa-fixtures.ts';
import { freshReference } from '../support/rails/order.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';

/** Goal: M-PESA gets exactly the documented token request and push, with a token that is valid. */

const scene = await useRailScene(PLAYERS.mpesa);

const orderOf = (amountMinor: number) => scene.order({}, { terms: { amountMinor } });

describe('the plan', () => {
  it('waits three minutes for the phone, without a query and without a final window', () => {
    const nowMs = Date.now();
    const rail = scene.railWith({ statusQuery: undefined });
    const { terms } = scene.order();
    expect(rail.plan(terms, 'M_PESA', nowMs)).toEqual({
      flow: 'push',
      deadlineAtMs: nowMs + 180_000,
      windowIsFinal: false,
      checkAtMs: null,
    });
    expect(rail).not.toHaveProperty('query');
    expect(scene.rail).toHaveProperty('query');
    expect(scene.rail.plan(terms, 'M_PESA', nowMs).checkAtMs).toBe(nowMs + 30_000);
  });
});

describe('a start', () => {
  it('sends no push for an amount with cents', async () => {
    const callsBefore = scene.standIn.calls.length;
    const rail = scene.railWith({ wholeAmountsOnly: undefined });
    expect(rail.wholeAmountsOnly).toBe(true);
    expect(await rail.start(orderOf(150_050))).toEqual({ type: 'refused', reason: 'declined' });
    expect(scene.standIn.calls).toHaveLength(callsBefore);
    expect(scene.rail.wholeAmountsOnly).toBe(false);
  });

  it('requests a token, then pushes, with exactly these two requests', async () => {
    const own = await startMpesaStandIn();
    const order = orderOf(150_050);
    const from = Date.now();
    const settings = settingsOf({ ...own.settings, wholeAmountsOnly: false });
    const result = await mpesaRail(settings).start(order);
    const standInOrder = await own.order(order.attempt.reference);
    expect(result).toMatchObject({
      type: 'accepted',
      redirectUrl: null,
      railReference: expect.any(String),
      providerCode: '0',
    });
    expect(standInOrder).toMatchObject({ amountText: '1500.5', phone: PHONE, acted: null });

    expect(settingsOf(own.settings)).toEqual({
      ...own.settings,
      promptWindowSeconds: 180,
      wholeAmountsOnly: true,
    });
    const [token, push] = own.calls;
    expect(own.calls).toHaveLength(2);
    const credentials = `${settings.consumerKey}:${settings.consumerSecret}`;
    const transport = {
      host: new URL(own.baseUrl).host,
      connection: 'keep-alive',
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate',
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      'user-agent': 'node',
    };
    expect(token).toEqual({
      method: 'GET',
      url: '/v1/token/generate?grant_type=client_credentials',
      headers: {
        ...transport,
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      },
      body: '',
    });
    expect(push).toEqual({
      method: 'POST',
      url: '/mpesa/stkpush/v3/processrequest',
      headers: {
        ...transport,
        authorization: expect.stringMatching(/^Bearer [\w-]{19}$/),
        'content-type': 'application/json',
        'content-length': String(push?.body.length),
      },
      body: expect.any(String),
    });
    const { Timestamp } = JSON.parse(push?.body ?? '');
    const digest = createHash('sha256')
      .update(`${settings.shortcode}${settings.passkey}${Timestamp}`)
      .digest('hex');
    const { reference } = order.attempt;
    // The official sample byte for byte, except what differs with each payment.
    expect(push?.body).toBe(
      sampleRequestText({
        MerchantRequestID: `"${reference}"`,
        BusinessShortCode: `"${settings.shortcode}"`,
        Password: `"${Buffer.from(digest).toString('base64')}"`,
        Timestamp: `"${Timestamp}"`,
        Amount: '1500.5',
        PartyA: `"${PHONE}"`,
        PartyB: `"${settings.shortcode}"`,
        PhoneNumber: `"${PHONE}"`,
        CallBackURL: `"${order.callbackUrl}"`,
        AccountReference: `"${reference.slice(0, 12)}"`,
        TransactionDesc: '"Tomoca Coffee"',
        Value: `"${reference}"`,
      }),
    );
    expect([ethiopianDigits(from), ethiopianDigits(Date.now())]).toContainEqual(Timestamp);
    await own.stop();
  });

  it('sends the type, the password form and the credited party in the settings', async () => {
    const any = await StandInServer.start(async () => jsonReply(200, { access_token: 'token' }));
    const switches = { transactionType: 'CustomerBuyGoodsOnline', passwordForm: 'kenya' };
    const secret = { ...VALID_SETTINGS, ...switches, partyB: '554433', baseUrl: any.baseUrl };
    await mpesaRail(settingsOf(secret)).start(scene.order());
    const body = JSON.parse(any.calls[1]?.body ?? '');
    expect(body).toMatchObject({ TransactionType: 'CustomerBuyGoodsOnline', PartyB: '554433' });
    const plain = `1020${VALID_SETTINGS.passkey}${body.Timestamp}`;
    expect(Buffer.from(body.Password, 'base64').toString()).toBe(plain);
    await any.stop();
  });
});

it('logs a report with an unknown code for the operator', async () => {
  const { order, atProvider } = await scene.place();
  await atProvider.act('mistypes_pin');
  const body = bodyText(scene.lastReport).replace('TP40087', '4999');
  const lines = watchRailAnswers();
  expect(await scene.rail.readCallback?.(callbackCall({ body }), order)).toMatchObject({
    type: 'refused',
    suspicion: 'unknown_state',
  });
  const { reference } = order.attempt;
  // Without M-PESA's own id, which contains the phone number.
  const line = { level: 'warn', rail: 'stk-push', call: 'callback', reference };
  expect(lines).toEqual([{ ...line, providerCode: '4999' }]);
});

describe('the stand-in', () => {
  it('refuses what M-PESA would refuse', async () => {
    const { order } = await scene.place();
    const good = scene.standIn.calls.at(-1);
    const resend = async (change: (body: Record<string, unknown>) => void, header = {}) => {
      const body = JSON.parse(good?.body ?? '');
      body.MerchantRequestID = freshReference();
      change(body);
      const { authorization = '' } = good?.headers ?? {};
      const headers = { authorization, 'content-type': 'application/json', ...header };
      const response = await fetch(`${scene.standIn.baseUrl}${good?.url}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return (await response.json()) as Readonly<Record<string, string>>;
    };
    const same = (body: Record<string, unknown>) => body;
    expect(await resend(same)).toMatchObject({ ResponseCode: '0' });
    expect(await resend((body) => (body.Extra = 1))).toMatchObject({
      errorMessage: 'Bad Request - Invalid Extra',
    });
    const names = Object.keys(SAMPLE_REQUEST);
    for (const name of names) {
      expect(await resend((body) => delete body[name])).toMatchObject({
        errorMessage: `Bad Request - Invalid ${name}`,
      });
      expect(await resend((body) => (body[name] = '?'))).toMatchObject({
        errorMessage: `Bad Request - Invalid ${name}`,
      });
    }
    for (const Amount of ['20', 0, 1.005, 1e21]) {
      const answer = await resend((body) => (body.Amount = Amount));
      expect(answer).toMatchObject({ errorMessage: 'Bad Request - Invalid Amount' });
    }
    const repeated = (body: Record<string, unknown>) =>
      (body.MerchantRequestID = order.attempt.reference);
    expect(await resend(repeated)).toMatchObject({ ResponseCode: '1' });
    expect(await resend(same, { authorization: 'Bearer guessed' })).toMatchObject({
      errorCode: '404.001.03',
    });
  });
});

describe('the token', () => {
  let own: MpesaStandIn;
  beforeEach(async () => {
    own = await startMpesaStandIn();
  });
  afterEach(() => own.stop());
  const railOf = ({ settings }: MpesaStandIn): Rail => mpesaRail(settingsOf(settings));
  const paths = () => own.calls.map(({ url }) => (url.startsWith('/v1/token') ? 'token' : 'push'));

  it('of the sample is sent unchanged and used until its last minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const rail = await StandInServer.start(async ({ method, body }) =>
      method === 'GET'
        ? { type: 'answer', status: 200, body: SAMPLE_TOKEN_TEXT }
        : jsonReply(200, {
            ...SAMPLE_ANSWER,
            MerchantRequestID: JSON.parse(body).MerchantRequestID,
          }),
    );
    const adapter = mpesaRail(settingsOf({ ...VALID_SETTINGS, baseUrl: rail.baseUrl }));
    expect(await adapter.start(scene.order())).toMatchObject({ type: 'accepted' });
    // Its lifetime is 3,599 s.
    vi.advanceTimersByTime(3_538_000);
    await adapter.start(scene.order());
    expect(rail.calls.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
    vi.advanceTimersByTime(2_000);
    await adapter.start(scene.order());
    expect(rail.calls.map(({ method }) => method).slice(3)).toEqual(['GET', 'POST']);
    const bearers = rail.calls.map(({ headers }) => headers.authorization);
    expect(bearers.filter((value) => value === 'Bearer <opaque>')).toHaveLength(3);
    await rail.stop();
  });

  it('is not used in its last minute', async () => {
    own.setTokenLifetime(60);
    await railOf(own).start(scene.order());
    await railOf(own).start(scene.order());
    expect(paths()).toEqual(['token', 'push', 'token', 'push']);
  });

  it.each([
    ['redirects', { type: 'answer', status: 302, body: '' }, 'rail_unavailable'],
    ['refuses', jsonReply(200, { resultCode: '999991' }), 'misconfigured'],
    ['refuses by number', jsonReply(200, { resultCode: 999997 }), 'misconfigured'],
  ] as const)('call that %s: nothing was pushed', async (_name, reply, reason) => {
    own.answerTokens(reply);
    const refused = { type: 'refused', reason };
    expect(await railOf(own).start(scene.order())).toMatchObject(refused);
    expect(paths()).toEqual(['token']);
  });

  it('is used but not cached without a lifetime', async () => {
    const lives: readonly unknown[] = [undefined, null, 'soon', '-5', 1e300, { toString: 1 }];
    for (const expires_in of lives) {
      own.answerTokens(jsonReply(200, { access_token: 'unknown-to-the-rail', expires_in }));
      const before = own.calls.length;
      await railOf(own).start(scene.order());
      expect(paths().slice(before)).toEqual(['token', 'push', 'token', 'push']);
    }
  });
});
