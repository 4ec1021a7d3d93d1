import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { SWITCH_TEXT_CHARACTERS_MAX } from '../../../src/control/operator/fields.ts';
import { forgetSwitchedOff } from '../../../src/engine/merchants/switched-off.ts';
import { plantedError } from '../../support/output/planted.ts';
import {
  advance,
  answerOf,
  call,
  chooseMethod,
  createHosted,
  intentOf,
  logged,
  pathOf,
  postExpress,
  postHosted,
  SECOND_MS,
  simulate,
  useGateway,
} from '../support.ts';
import { content, deskOf, operateApi } from './support.ts';

/**
 * Goal: the operator switches a method off for all merchants; no new attempt begins by it, what has
 * begun ends, and no create costs more. Method: creates, charges and customers' pages around the switch.
 */

useGateway();

const IN_FORCE_MS = 10 * SECOND_MS;
const TEXT = 'Back at <15:00> & later';

async function switchTo(state: 'on' | 'off', method: string, body: object = {}): Promise<void> {
  await content(operateApi(`/methods/sandbox/${method}/switch-${state}`, body));
  advance(IN_FORCE_MS);
}

const pageOf = async (url: string, language = 'en') =>
  (await call(pathOf(url), { apiKey: null, headers: { 'accept-language': language } })).text();

test('a payment that names only switched-off methods is refused, another one is not', async () => {
  await switchTo('off', 'TELE_BIRR');
  const { status, envelope } = await answerOf(postHosted({ methods: ['TELE_BIRR'] }));
  expect([status, envelope.validationErrors]).toEqual([
    400,
    {
      methods:
        'Not available now: the operator has switched off the payment method. Try again later, or name another one.',
    },
  ]);
  expect((await postHosted({ methods: ['TELE_BIRR', 'CBE'] })).status).toBe(200);
  expect((await postHosted({ paymentIntentUniqueId: 'order-2' })).status).toBe(200);
  await switchTo('on', 'TELE_BIRR');
  const again = { methods: ['TELE_BIRR'], paymentIntentUniqueId: 'order-3' };
  expect((await postHosted(again)).status).toBe(200);
});

test('an express charge is refused, and nothing is stored', async () => {
  await switchTo('off', 'M_PESA');
  const { status, envelope } = await answerOf(postExpress({ method: 'M_PESA' }));
  expect([status, envelope.validationErrorCodes]).toEqual([400, { method: 'switched_off' }]);
});

test('production stays on while the sandbox is off', async () => {
  await content(operateApi('/methods/production/TELE_BIRR/switch-off', {}));
  advance(IN_FORCE_MS);
  expect((await postHosted({ methods: ['TELE_BIRR'] })).status).toBe(200);
});

test.each([
  ['en', 'Not available now'],
  ['am', 'አሁን አይገኝም'],
  ['om', 'Amma hin argamu'],
  ['ti', 'ሕጂ ኣይርከብን'],
])('the page says so in %s, with the text of the operator, escaped', async (language, words) => {
  const url = await createHosted({ methods: ['TELE_BIRR', 'CBE'] });
  await switchTo('off', 'TELE_BIRR', { text: TEXT });
  const html = await pageOf(url, language);
  expect(html).toContain(words);
  expect(html).toContain('<bdi>Back at &lt;15:00> &amp; later</bdi>');
  expect(html.match(/<input type="radio"[^>]*value="TELE_BIRR"[^>]*disabled/)).not.toBeNull();
  expect(html.match(/<input type="radio"[^>]*value="CBE"[^>]*disabled/)).toBeNull();
});

test('the page lists it last', async () => {
  const url = await createHosted({ methods: ['TELE_BIRR', 'CBE', 'M_PESA'] });
  await switchTo('off', 'TELE_BIRR');
  const values = [...(await pageOf(url)).matchAll(/<input type="radio"[^>]*value="(\w+)"/g)];
  expect(values.map(([, method]) => method)).toEqual(['CBE', 'M_PESA', 'TELE_BIRR']);
});

test('a form of an older page starts no attempt', async () => {
  const url = await createHosted({ methods: ['TELE_BIRR', 'CBE'] });
  await switchTo('off', 'TELE_BIRR');
  await expect(chooseMethod(url)).rejects.toThrow('choosing a method led to 303');
  expect((await intentOf()).attempts).toEqual([]);
});

test('an attempt under way continues', async () => {
  const started = await chooseMethod(await createHosted());
  await switchTo('off', 'TELE_BIRR');
  await simulate(started, 'approve');
  expect((await intentOf()).status).toBe('succeeded');
});

test('a warm create reads no database, and pages read it once in seconds', async () => {
  await switchTo('off', 'TELE_BIRR');
  const url = await createHosted();
  await pageOf(url);
  const prepare = vi.spyOn(env.DB, 'prepare');
  await createHosted({ paymentIntentUniqueId: 'order-2' });
  await pageOf(url);
  expect(prepare).not.toHaveBeenCalled();
});

test('a page does not wait for a database that fails', async () => {
  const url = await createHosted();
  forgetSwitchedOff();
  const prepare = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw plantedError('D1 is down');
  });
  const html = await pageOf(url);
  expect(html).toContain('value="TELE_BIRR"');
  expect(prepare).toHaveBeenCalled();
  expect(logged.join()).toContain('switched_off_unknown');
});

test('a text has a limit; the desk shows the switch and turns it', async () => {
  const long = { text: 'x'.repeat(SWITCH_TEXT_CHARACTERS_MAX + 1) };
  expect((await operateApi('/methods/sandbox/CBE/switch-off', long)).status).toBe(400);
  const { pageOf: deskPage, change } = deskOf('Abebe');
  await change('/operator/rails/sandbox/CBE/switch-off', { text: TEXT });
  expect(await deskPage('/operator/rails')).toContain('Back at &lt;15:00> &amp; later');
  await change('/operator/rails/sandbox/CBE/switch-on');
  expect(await content(operateApi('/methods/switched-off'))).toEqual([]);
});
