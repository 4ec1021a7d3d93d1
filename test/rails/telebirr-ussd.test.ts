import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  startTelebirrUssdStandIn,
  type TelebirrUssdStandIn,
} from '../../scripts/stand-ins/telebirr-ussd.ts';
import { sample } from '../../scripts/stand-ins/telebirr-ussd-messages.ts';
import { readAcknowledgement, readResult } from '../../src/engine/rails/telebirr-ussd/messages.ts';
import { telebirrUssdRail } from '../../src/engine/rails/telebirr-ussd/rail.ts';
import { paymentRequest, timestamp } from '../../src/engine/rails/telebirr-ussd/request.ts';
import type { TelebirrUssdSettings } from '../../src/engine/rails/telebirr-ussd/settings.ts';
import { majorText } from '../../src/kit/money.ts';
import { orderFor } from '../support/rails/order.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { RailScene } from '../support/rails/scene.ts';
import { settingsFrom, TELEBIRR_USSD_SETTINGS } from '../support/rails/telebirr-ussd-settings.ts';

/**
 * Goal: messages match CPS's public samples, and a start's result is certain.
 */

let scene: RailScene<TelebirrUssdStandIn>;
let settings: TelebirrUssdSettings;

beforeAll(async () => {
  scene = await RailScene.start(PLAYERS.telebirrUssd);
  settings = settingsFrom(scene.standIn.settings);
});

afterAll(() => scene.stop());

describe('the public samples', () => {
  test('the request, byte for byte', () => {
    const order = orderFor(scene.rail, 'TELE_BIRR_USSD', {
      attempt: { reference: 'ORDER0001' },
      order: {
        chargedMinor: 1_000,
        callbackUrl: 'https://pay.example.et/n/telebirr-ussd/secret',
      },
    });
    const xml = paymentRequest(
      settingsFrom(TELEBIRR_USSD_SETTINGS),
      order,
      '251911223344',
      Date.UTC(2026, 0, 31, 9, 34, 56),
    );
    expect(xml).toBe(sample('request').trim());
  });

  test('the request has namespaces of its own, and UTC', () => {
    const order = orderFor(scene.rail, 'TELE_BIRR_USSD', {
      attempt: { reference: 'ORDER0001' },
      order: { chargedMinor: 1_000, callbackUrl: 'https://pay.example.et/n/telebirr-ussd/secret' },
    });
    const xml = paymentRequest(
      settingsFrom({ ...TELEBIRR_USSD_SETTINGS, namespace: 'synccpsinterface' }),
      order,
      '251911223344',
      Date.UTC(2026, 0, 31, 12, 34, 56),
    );
    expect(xml).toBe(sample('request').trim().replaceAll('/cpsinterface/', '/synccpsinterface/'));
  });

  test('the acknowledgement', () => {
    expect(readAcknowledgement(sample('ack'))).toEqual({
      originatorConversationId: 'ORDER0001',
      conversationId: 'AG_20260131_70101ef1abddd338afdf',
      responseCode: '0',
      serviceStatus: '0',
    });
    expect(readResult(sample('ack'))).toBeNull();
  });

  test('the result, without the customer’s balance', () => {
    expect(sample('result')).toContain('DebitBalance');
    expect(readResult(sample('result'))).toEqual({
      originatorConversationId: 'ORDER0001',
      conversationId: 'AG_20260131_70101ef1abddd338afdf',
      resultType: '0',
      resultCode: '0',
      transactionId: 'AJH40OGEZK',
      transactionStatus: null,
      receipt: null,
      originalConversationId: null,
      amount: null,
    });
    expect(readAcknowledgement(sample('result'))).toBeNull();
  });

  test.each(['soapenv', 'api', 'res', 'com'])('with another prefix than %s', (prefix) => {
    const rename = (xml: string) =>
      xml.replaceAll(`<${prefix}:`, '<x-1:').replaceAll(`</${prefix}:`, '</x-1:');
    expect(readAcknowledgement(rename(sample('ack')))).toEqual(readAcknowledgement(sample('ack')));
    expect(readResult(rename(sample('result')))).toEqual(readResult(sample('result')));
  });
});

describe('the plan', () => {
  test('is a prompt of two minutes without a query', () => {
    const { terms } = scene.order();
    const rail = scene.railWith({ statusQuery: undefined });
    expect(rail.plan(terms, 'TELE_BIRR_USSD', 1_000)).toEqual({
      flow: 'push',
      deadlineAtMs: 121_000,
      windowIsFinal: false,
      checkAtMs: null,
    });
  });

  test('of the synchronous service lasts as long as its call', () => {
    const { terms } = scene.order();
    const slow = scene.railWith({ namespace: 'synccpsinterface', waitsForResult: true });
    expect(slow.startWaitsForCustomer).toBe(true);
    expect(slow.plan(terms, 'TELE_BIRR_USSD', 1_000)).toEqual({
      flow: 'push',
      deadlineAtMs: 156_000,
      windowIsFinal: false,
      // The claim sets it.
      checkAtMs: null,
    });
  });
});

describe('the start', () => {
  test('is one POST to the relay', async () => {
    const before = scene.standIn.calls.length;
    const order = scene.order();
    const startedAtMs = Date.now();
    const result = await scene.rail.start(order);
    expect(result).toMatchObject({
      type: 'accepted',
      redirectUrl: null,
      railReference: expect.stringMatching(/^AG_\d{8}_[0-9a-f]{20}$/),
    });
    expect(scene.standIn.calls.length).toBe(before + 1);
    const call = scene.standIn.calls[before];
    const sentAt = /<req:Timestamp>(\d{14})</.exec(call?.body ?? '')?.[1] ?? '';
    const times = [startedAtMs, startedAtMs + 1_000].map((ms) => timestamp('cpsinterface', ms));
    expect(times).toContain(sentAt);
    const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    expect(call).toEqual({
      method: 'POST',
      url: '/payment/services/APIRequestMgrService',
      headers: {
        authorization: settings.relayHeaders.Authorization,
        'content-type': 'text/xml; charset=utf-8',
        soapaction: '""',
        // Added by fetch.
        host: new URL(scene.standIn.baseUrl).host,
        'content-length': String(call?.body.length),
        connection: 'keep-alive',
        accept: '*/*',
        'accept-language': '*',
        'sec-fetch-mode': 'cors',
        'user-agent': 'node',
        'accept-encoding': expect.any(String),
      },
      body: sample('request')
        .trim()
        .replace('ORDER0001', order.attempt.reference)
        .replace('THIRDPARTY', escaped(settings.thirdPartyId))
        .replace('ENCRYPTED_BASE64_GIVEN', settings.password)
        .replace('https://pay.example.et/n/telebirr-ussd/secret', escaped(order.callbackUrl))
        .replace('20260131123456', sentAt)
        .replace('OPERATOR', settings.operatorId)
        .replace('ENCRYPTED_BASE64_GIVEN', settings.securityCredential)
        .replace('251911223344', '251911234567')
        .replace('>10.00<', `>${majorText(order.chargedMinor)}<`),
    });
  });

  test('names the relay for the result if the operator says so', async () => {
    const order = scene.order();
    const resultUrl = 'http://10.1.2.3:8080/kefel/rails/telebirr-ussd/token';
    for (const resultBaseUrl of ['http://10.1.2.3:8080/kefel', 'http://10.1.2.3:8080/kefel/']) {
      const xml = paymentRequest(
        { ...settings, resultBaseUrl },
        { ...order, callbackUrl: 'https://pay.example.com/rails/telebirr-ussd/token' },
        '251911234567',
        Date.now(),
      );
      expect(xml).toContain(`<req:ResultURL>${resultUrl}</req:ResultURL>`);
    }
  });

  test('is accepted for Safaricom’s numbers too', async () => {
    const order = scene.order({}, { attempt: { phone: '251711234567' } });
    expect(await scene.rail.start(order)).toMatchObject({ type: 'accepted' });
  });

  test('is misconfigured at another path of the relay', async () => {
    const relayUrl = `${scene.standIn.baseUrl}/elsewhere`;
    const rail = telebirrUssdRail({ ...settings, relayUrl });
    const refused = { type: 'refused', reason: 'misconfigured' };
    expect(await rail.start(scene.order())).toMatchObject(refused);
  });

  test('is refused by the stand-in when malformed', async () => {
    const reference = scene.order().attempt.reference.toLowerCase();
    expect(await scene.rail.start(scene.order({}, { attempt: { reference } }))).toEqual({
      type: 'refused',
      reason: 'declined',
      providerCode: 'X100',
    });
  });

  test('sends no text of the merchant’s or customer’s', async () => {
    const hostile = '<&>"\'😀ሰላም\u0000\u202e]]>'.repeat(100).slice(0, 1_000);
    const before = scene.standIn.calls.length;
    const result = await scene.rail.start(
      scene.order(
        {},
        {
          terms: { merchantName: hostile, description: hostile, uniqueId: hostile },
        },
      ),
    );
    expect(result).toMatchObject({ type: 'accepted' });
    expect(scene.standIn.calls[before]?.body).not.toMatch(/ሰላም|😀|&lt;/);
  });
});

describe('namespaces and waiting are two settings', () => {
  test.each([
    { namespace: 'synccpsinterface', waitsForResult: false },
    { namespace: 'cpsinterface', waitsForResult: true },
  ] as const)('%j', async (form) => {
    const start = () => startTelebirrUssdStandIn(0, form);
    const mixed = await RailScene.start({ ...PLAYERS.telebirrUssd, start });
    onTestFinished(() => mixed.stop());
    const result = await mixed.rail.start(mixed.order({ act: 'pays', callback: 'before_answer' }));
    expect(result.type).toBe(form.waitsForResult ? 'resolved' : 'accepted');
    expect(mixed.rail.startWaitsForCustomer ?? false).toBe(form.waitsForResult);
    expect(mixed.lastReading).toMatchObject({ outcome: { type: 'succeeded' } });
  });

  test('a start in the other namespaces is refused by the stand-in', async () => {
    const rail = scene.railWith({ namespace: 'synccpsinterface' });
    expect(await rail.start(scene.order())).toMatchObject({ type: 'unknown' });
  });
});
