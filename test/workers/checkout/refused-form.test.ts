import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import { bytesFromBase64Url } from '../../../src/kit/crypto/encoding.ts';
import { call, createHosted, intentOf, LIMITED, pathOf, postForm, useGateway } from '../support.ts';

/**
 * Goal: every form of the customer's page answers 303, so that Back and a reload never post again,
 * and what a refused form held is kept. Method: the forms as browsers send them.
 */

useGateway();

const MISTYPED = { method: 'M_PESA', phone: '0911 22', attempts: '0' };

/** Where a form redirects to. */
async function answerTo(path: string, fields: Record<string, string>): Promise<string> {
  const response = await postForm(path, fields);
  await response.body?.cancel();
  expect(response.status).toBe(303);
  return response.headers.get('location') ?? '';
}

async function page(path: string) {
  const response = await call(path, { apiKey: null });
  return { status: response.status, html: await response.text() };
}

test.each([
  ['phone_invalid', MISTYPED],
  ['phone_missing', { ...MISTYPED, phone: '' }],
  ['method_missing', { phone: '0911 22', attempts: '0' }],
] as const)(
  'a refused form leads to a page that keeps what was entered: %s',
  async (problem, fields) => {
    const path = pathOf(await createHosted());
    const location = await answerTo(`${path}/attempts`, fields);
    expect(location).toMatch(new RegExp(`^${path}\\?form=[\\w.-]+$`));
    for (const suffix of ['', '&lang=am']) {
      const { status, html } = await page(`${location}${suffix}`);
      expect(status).toBe(200);
      expect(html).toContain(
        fields.phone === '' ? 'maxlength="40" value ' : `value="${fields.phone}"`,
      );
      expect(html.includes('value="M_PESA" checked')).toBe('method' in fields);
      // The switch of languages keeps it too.
      expect(html).toContain(`href="${location}&amp;lang=om"`);
    }
    expect((await page(location)).html).toContain(
      english.problem[problem].replace('{example}', '0712\u00a0345\u00a0678'),
    );
    expect(await intentOf()).toMatchObject({ status: 'open', attempts: [] });
  },
);

test('the address after a refused form does not hold the number', async () => {
  const path = pathOf(await createHosted());
  const phone = '91122334455667788';
  const location = await answerTo(`${path}/attempts`, { ...MISTYPED, phone });
  const bytes = bytesFromBase64Url(location.split('.').at(-1) ?? '');
  expect(bytes?.length).toBeGreaterThan(phone.length);
  expect(new TextDecoder().decode(bytes ?? undefined)).not.toContain(phone);
  expect(location).not.toContain(phone);
});

test('shows the typed number only for its payment, and only until the next attempt', async () => {
  const path = pathOf(await createHosted());
  const other = pathOf(await createHosted({ paymentIntentUniqueId: 'order-2' }));
  const [, query = ''] = (await answerTo(`${path}/attempts`, MISTYPED)).split('?');
  const shows = async (at: string) => (await page(at)).html.includes('0911 22');
  expect(await shows(`${path}?${query}`)).toBe(true);
  expect(await shows(`${other}?${query}`)).toBe(false);
  expect(await shows(`${path}?${query.slice(0, -2)}`)).toBe(false);
  expect((await page(`${path}?form=`)).status).toBe(200);

  vi.spyOn(simulator, 'start').mockResolvedValueOnce({ type: 'refused', reason: 'declined' });
  await answerTo(`${path}/attempts`, { method: 'TELE_BIRR', attempts: '0' });
  expect(await shows(`${path}?${query}`)).toBe(false);
});

test('too many prompts to a phone: the page says so and keeps the number', async () => {
  const path = pathOf(await createHosted());
  vi.spyOn(env.PHONE_PROMPT_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
  const fields = { method: 'E_BIRR', phone: '0911 234 567', attempts: '0' };
  const refused = await postForm(`${path}/attempts`, fields, {}, LIMITED);
  expect(refused.status).toBe(303);
  const { html } = await page(refused.headers.get('location') ?? '');
  expect(html).toContain(english.tooManyTitle);
  expect(html).toContain('value="0911 234 567"');
  expect(await intentOf()).toMatchObject({ status: 'open', attempts: [] });
});

test.each(['attempts', 'abandon', 'give-up'])(
  'a failure of ours after /%s leads to the page, which says so',
  async (form) => {
    const path = pathOf(await createHosted());
    vi.spyOn(IntentClient.prototype, 'read').mockRejectedValueOnce(new Error('not now'));
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const location = await answerTo(`${path}/${form}`, { method: 'TELE_BIRR', attempts: '0' });
    expect(location).toBe(`${path}?failed=1`);
    expect((await page(location)).html).toContain(english.errorTitle);
  },
);

test('a form over the limit of its link leads to the page, which the limit covers as well', async () => {
  const path = pathOf(await createHosted());
  vi.spyOn(env.CHECKOUT_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
  const refused = await postForm(`${path}/attempts`, MISTYPED, {}, LIMITED);
  expect([refused.status, refused.headers.get('location')]).toEqual([303, path]);
  expect((await call(path, { apiKey: null, bindings: LIMITED })).status).toBe(429);
});
