import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bodyText } from '../../src/engine/rails/callback.ts';
import { ethiopianTimestamp } from '../../src/kit/ethiopian-time.ts';
import { ebirrSample } from '../support/rails/ebirr.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { RailScene } from '../support/rails/scene.ts';

/** Goal: the stand-in answers as eBirr's published samples do and refuses malformed requests. */

let scene: RailScene;

beforeEach(async () => {
  scene = await RailScene.start(PLAYERS.ebirr);
});

afterEach(() => scene.stop());

describe('the stand-in', () => {
  function sent(change: (request: Record<string, unknown>) => unknown): Promise<Response> {
    const { merchantUid, apiUserId, apiKey } = scene.standIn.settings;
    const request = JSON.parse(ebirrSample('purchase_request'));
    request.timestamp = ethiopianTimestamp(Date.now());
    Object.assign(request.serviceParams, { merchantUid, apiUserId, apiKey });
    return fetch(`${scene.standIn.baseUrl}/asm`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change(request)),
    });
  }

  test('accepts the published sample and gives the published answer', async () => {
    scene.standIn.plan('10.00', { act: 'pays', callback: 'never' });
    const answer = JSON.parse(await (await sent((request) => request)).text());
    const published = JSON.parse(ebirrSample('purchase_response_ok'));
    expect({ ...answer, timestamp: published.timestamp }).toEqual(published);
  });

  test.each(['purchase_response_rejected', 'purchase_response_timeout'])(
    'answers as in %s',
    async (name) => {
      scene.standIn.plan('10.00', {
        refuses: name.endsWith('timeout') ? 'unavailable' : 'declines',
      });
      expect(JSON.parse(await (await sent((request) => request)).text())).toEqual(
        JSON.parse(ebirrSample(name)),
      );
    },
  );

  test('sends the published callback', async () => {
    const { callbackUrl: returnUrl } = scene.order();
    scene.standIn.plan('10.00', { act: 'pays', callback: 'before_answer' });
    await sent((request) => ({
      ...request,
      serviceParams: { ...(request.serviceParams as object), returnUrl },
    }));
    expect(JSON.parse(bodyText(scene.lastReport))).toEqual(JSON.parse(ebirrSample('callback')));
  });

  function nested(path: string, change: (value: unknown) => unknown) {
    return (request: Record<string, unknown>) => {
      const names = path.split('.');
      const last = names.pop() ?? '';
      const inner = names.reduce((place, name) => place[name] as Record<string, unknown>, request);
      inner[last] = change(inner[last]);
      return request;
    };
  }

  test.each([
    ['schemaVersion', 1],
    ['requestId', 'abc'],
    ['timestamp', '1769852096'],
    ['timestamp', ethiopianTimestamp(Date.now() - 3 * 3_600_000)],
    ['channelName', 'APP'],
    ['serviceName', 'API_PREAUTHORIZE'],
    ['extra', 'x'],
    ['serviceParams.merchantUid', undefined],
    ['serviceParams.paymentMethod', 'CARD'],
    ['serviceParams.prefix', '231438'],
    ['serviceParams.returnUrl', 'nowhere'],
    ['serviceParams.extra', 'x'],
    ['serviceParams.payerInfo.accountNo', '0911223344'],
    ['serviceParams.payerInfo.accountNo', '+251911223344'],
    ['serviceParams.transactionInfo.referenceId', 'ORDER 1'],
    ['serviceParams.transactionInfo.referenceId', 'x'.repeat(51)],
    ['serviceParams.transactionInfo.invoiceId', ''],
    ['serviceParams.transactionInfo.amount', 10],
    ['serviceParams.transactionInfo.amount', '10'],
    ['serviceParams.transactionInfo.amount', '010.00'],
    ['serviceParams.transactionInfo.amount', '0.00'],
    ['serviceParams.transactionInfo.currency', 'USD'],
    ['serviceParams.transactionInfo.description', 'ቡና ቡና'],
  ])('refuses %s as %j', async (path, value) => {
    const answer = JSON.parse(await (await sent(nested(path, () => value))).text());
    expect(answer.responseMsg).toMatch(/^RCS_INVALID_REQUEST/);
    expect(answer.responseMsg).toContain(path.split('.').at(-1));
  });

  test('takes no second payment, and reports nothing before the customer acts', async () => {
    const { atProvider: prompted, started } = await scene.place();
    await expect(prompted.callback()).rejects.toThrow('has not acted');
    expect(await prompted.act('pays')).toMatchObject({ status: 200 });
    await started;
    await expect(prompted.act('pays')).rejects.toThrow('is closed');
  });
});
