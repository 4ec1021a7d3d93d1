import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bodyText } from '../../src/engine/rails/callback.ts';
import { ethiopianTimestamp } from '../../src/kit/ethiopian-time.ts';
import { ebirrSample } from '../support/rails/ebirr.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { RailScene } from '../support/rails/scene.ts';

/** Goal: the stand-in answers as eBirr's published samples do. */

let scene: RailScene;

beforeEach(async () => {
  scene = await RailScene.start(PLAYERS.ebirr);
});

afterEach(() => scene.stop());

describe('the stand-in', () => {
  function sent(params: object = {}): Promise<Response> {
    const { merchantUid, apiUserId, apiKey } = scene.standIn.settings;
    const request = JSON.parse(ebirrSample('purchase_request'));
    request.timestamp = ethiopianTimestamp(Date.now());
    Object.assign(request.serviceParams, { merchantUid, apiUserId, apiKey, ...params });
    return fetch(`${scene.standIn.baseUrl}/asm`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
  }

  test('accepts the published sample and gives the published answer', async () => {
    scene.standIn.plan('10.00', { act: 'pays', callback: 'never' });
    const answer = JSON.parse(await (await sent()).text());
    const published = JSON.parse(ebirrSample('purchase_response_ok'));
    expect({ ...answer, timestamp: published.timestamp }).toEqual(published);
  });

  test.each(['purchase_response_rejected', 'purchase_response_timeout'])(
    'answers as in %s',
    async (name) => {
      scene.standIn.plan('10.00', {
        refuses: name.endsWith('timeout') ? 'unavailable' : 'declines',
      });
      expect(JSON.parse(await (await sent()).text())).toEqual(JSON.parse(ebirrSample(name)));
    },
  );

  test('sends the published callback', async () => {
    const { callbackUrl: returnUrl } = scene.order();
    scene.standIn.plan('10.00', { act: 'pays', callback: 'before_answer' });
    await sent({ returnUrl });
    expect(JSON.parse(bodyText(scene.lastReport))).toEqual(JSON.parse(ebirrSample('callback')));
  });
});
