import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { ethswitchRail } from '../../src/engine/rails/ethswitch/rail.ts';
import { ethswitchSettings } from '../../src/engine/rails/ethswitch/settings.ts';
import {
  canonicalAddress,
  descriptionOf,
  NOT_PLAIN,
  NOT_PLAIN_ASCII,
  pageUrlOf,
} from '../../src/engine/rails/ethswitch/wire.ts';
import { HOSTILE_TEXT } from '../support/rails/ethswitch-scene.ts';
import { orderFor } from '../support/rails/order.ts';

const NBG = {
  gateway: 'nbg',
  baseUrl: 'https://cbs-uat.ethswitch.et:4443/',
  username: 'operator@example.et',
  password: 'secret',
  billerBin: 'NEEUETAA',
  callbackAddresses: ['196.188.1.2', '2001:DB8:0:0::00A'],
};
const CARDS = {
  gateway: 'cards',
  baseUrl: 'https://epg.ethswitch.et:9443/epg/rest/',
  userName: 'operator-api',
  password: 'secret',
};

test('the settings choose one of the two gateways, which are separate rails', () => {
  const nbg = ethswitchRail(v.parse(ethswitchSettings, NBG));
  const cards = ethswitchRail(v.parse(ethswitchSettings, CARDS));
  expect([nbg.id, nbg.currencies]).toEqual(['ethswitch-nbg', ['ETB']]);
  expect([cards.id, cards.currencies]).toEqual(['ethswitch-cards', ['ETB', 'USD']]);
  // NBG has no refunds by API: an operator returns the money.
  expect([nbg.refunds, nbg.refund, nbg.refundStatus]).toEqual([undefined, undefined, undefined]);
  expect(cards.refunds).toEqual({ takesParts: true, wholeAmountsOnly: false, windowMs: null });
});

describe('the wire', () => {
  test.each([
    ['196.188.1.2', '196.188.1.2'],
    ['2001:DB8::A', '2001:db8::a'],
    ['2001:0db8:0000:0000:0000:0000:0000:000a', '2001:db8::a'],
    ['::', '::'],
    ['::ffff:196.188.1.2', '::ffff:c4bc:102'],
    ['196.188.1', null],
    ['196.188.1.256', null],
    ['196.188.01.2', null],
    ['3300655362', null],
    ['abc', null],
    ['::1]/x[', null],
    ['[::1]', null],
    ['fe80::1%eth0', null],
    [' 196.188.1.2', null],
    ['', null],
  ])('the address %j is compared as %j', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });

  test('sends customers only to web pages', () => {
    const production = (page: unknown) => pageUrlOf(page, { environment: 'production' });
    const sandbox = (page: unknown) => pageUrlOf(page, { environment: 'sandbox' });
    const pages = [
      'https://x.et/nbg/pay/1',
      'https://x.et:9443/p?mdOrder=1#a',
      'http://localhost:8790/p',
      'http://127.0.0.1/p',
    ];
    expect(pages.map(production)).toEqual(pages);
    // NBG's sandbox has no https.
    const plain = ['http://197.156.90.228/nbg/pay/1', 'HTTP://x.et/p', 'http://localhost.x.et/p'];
    expect(plain.map(sandbox)).toEqual(plain);
    const wrong = [
      ...plain,
      'javascript:alert(1)',
      'https://x.et@evil.et/',
      '//x.et',
      'https:x.et',
      'https://x.et/\n',
      'https://x.et\\@evil.et',
      1,
      null,
      `https://x.et/${'a'.repeat(3_000)}`,
    ];
    expect(wrong.map(production)).toEqual(wrong.map(() => null));
    expect(wrong.slice(plain.length).map(sandbox)).toEqual(
      wrong.slice(plain.length).map(() => null),
    );
  });

  test('truncates and cleans descriptions', () => {
    const rail = ethswitchRail(v.parse(ethswitchSettings, NBG));
    const described = (merchantName: string, description: string | null, notPlain: RegExp) =>
      descriptionOf(
        orderFor(rail, 'ETS_SWITCH', { terms: { merchantName, description } }),
        notPlain,
      );
    expect(described('Tomoca', null, NOT_PLAIN)).toBe('Tomoca: order-1001');
    expect(described('ቶሞካ', '2 x ቡና (1 kg)', NOT_PLAIN)).toBe('ቶሞካ: 2 x ቡና 1 kg');
    const plain = described('Tomoca', HOSTILE_TEXT, NOT_PLAIN);
    expect(plain).toMatch(/^Tomoca: ቡና [\p{L}\p{M}\p{N}.,:_ -]+$/u);
    expect([...plain].length).toBeLessThanOrEqual(100);
    expect(described('Tomoca', HOSTILE_TEXT, NOT_PLAIN_ASCII)).toMatch(
      /^Tomoca: [A-Za-z0-9.,:_ -]{1,92}$/,
    );
    expect(described('ቡ'.repeat(500), '', NOT_PLAIN)).toBe('ቡ'.repeat(100));
    const reference = 'H7K2M9QX4T0B8ZC3VN5D';
    expect(described('😀'.repeat(500), '😀', NOT_PLAIN)).toBe(reference);
    expect(described('ቶሞካ', 'ቡና', NOT_PLAIN_ASCII)).toBe(reference);
  });
});
