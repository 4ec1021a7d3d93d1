import { h } from 'preact';
import { describe, expect, test } from 'vitest';
import { answerPage } from '../../../back-office/ui/answer.ts';
import { pageOf } from '../../../src/engine/checkout/checkout-page.tsx';
import { pageResponse } from '../../../src/engine/checkout/page-response.ts';
import { NoticePage } from '../../../src/engine/checkout/pages/notice.tsx';
import { SimulatorPage } from '../../../src/engine/checkout/pages/simulator.tsx';
import { loadTexts } from '../../../src/engine/checkout/texts.ts';
import { checkoutView, type RefusedForm } from '../../../src/engine/checkout/view.ts';
import type { Support } from '../../../src/engine/config.ts';
import { ATTEMPTS_MAX, type Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { Business } from '../../../src/engine/domain/merchant.ts';
import type { IntentTerms } from '../../../src/engine/domain/terms.ts';
import { WEBHOOK_FAULTS } from '../../../src/engine/domain/webhook-fault.ts';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import { SCENARIOS } from '../../../src/engine/rails/simulator/scenarios.ts';
import { majorText } from '../../../src/kit/money.ts';
import { seeOther } from '../../../src/kit/ui/headers.ts';
import { htmlIn } from '../../../src/kit/ui/texts.ts';
import { attemptWith, intentWith, NOW_MS, termsWith } from '../../support/checkout-fixtures.ts';
import { TRANSLATIONS } from '../../support/translations.ts';

const PATH = '/checkout/t1.token';

async function checkoutHtml(
  intent: Intent,
  refusedForm: RefusedForm | null = null,
  nowMs = NOW_MS,
): Promise<string> {
  const view = checkoutView(intent, nowMs, { refusedForm });
  return htmlIn('en', await pageOf({ view, path: PATH }));
}

/** Roughly what a reader sees: no head, no tags, plain spaces. */
function textOf(html: string): string {
  return html
    .replace(/<head>.*<\/head>/s, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .trim();
}

const LATER_MS = NOW_MS + 3_600_000;

const inFlight = intentWith({}, { status: 'processing', attempts: [attemptWith()] });
const paid = intentWith(
  { commissionPaidByCustomer: true },
  { status: 'succeeded', attempts: [attemptWith({ status: 'succeeded' })] },
);

const PUSHED = attemptWith({ flow: 'push', phone: '251911234567', redirectUrl: null });

const PAGES = {
  choose: await checkoutHtml(intentWith()),
  push: await checkoutHtml(intentWith({}, { status: 'processing', attempts: [PUSHED] })),
  paid: await checkoutHtml(paid),
  unknown: htmlIn('en', h(NoticePage, { kind: 'unknown', retryPath: null })),
  simulator: htmlIn(
    'en',
    h(SimulatorPage, {
      terms: termsWith(),
      attempt: attemptWith(),
      path: '/simulator/t1.token',
      remainingMs: 60_000,
      action: '/rails/simulator/t1.token',
      checkoutUrl: PATH,
    }),
  ),
};

describe('what the customer reads and can do', () => {
  test('items, quantities, prices and the total', () => {
    const text = textOf(PAGES.choose);
    expect(text).toContain('3 × ETB 450.00 ETB 1,350.00');
    expect(text).toContain('Total ETB 1,500.00');
    expect(text).toContain('Pay ETB 1,500.00');
    expect(text).toContain(english.testBanner);
    expect(text.match(/ETB 1,500\.00 [^.]*?No service fee/g)).toHaveLength(6);
  });

  test.each([
    ['choosing again', {}, { status: 'failed', failureReason: 'declined' }],
    ['redirect', { status: 'processing' }, {}],
    ['push', { status: 'processing' }, { flow: 'push', phone: '251711234567' }],
    ['unresolved', { status: 'processing' }, { status: 'unresolved' }],
    ['paid', { status: 'succeeded' }, { status: 'succeeded' }],
    ['failed', { status: 'failed', failureReason: 'declined' }, { status: 'failed' }],
    ['expired', { status: 'expired' }, { status: 'expired' }],
    ['canceled', { status: 'canceled' }, { status: 'failed' }],
  ] as const)('%s: what a customer can quote to support', async (_name, intent, attempt) => {
    const terms = { commissionPaidByCustomer: true };
    const text = textOf(
      await checkoutHtml(intentWith(terms, { ...intent, attempts: [attemptWith(attempt)] })),
    );
    for (const part of ['H7K2M9QX4T0B8ZC3VN5D', 'order-1001', 'Yirgacheffe coffee, 1 kg']) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/ETB 1,5(?:00|15)\.00/);
  });

  const SOON_MS = NOW_MS + 120_000;
  const anotherTry = english.anotherTry('telebirr');
  const startAgain = english.startAgain('Tomoca Coffee');

  test.each<[string, Partial<IntentTerms>, Partial<Attempt>, string]>([
    [
      'is waiting',
      {},
      { deadlineAtMs: SOON_MS },
      `${anotherTry} ${english.earliestTry('12:02 EAT')}`,
    ],
    // Only the provider's report is known.
    ['ends with the payment', {}, {}, anotherTry],
    ['is unresolved', {}, { deadlineAtMs: SOON_MS, status: 'unresolved' }, anotherTry],
    ['belongs to an express payment', { kind: 'express' }, { deadlineAtMs: SOON_MS }, startAgain],
    ['outlasts the payment', { expiresAtMs: NOW_MS }, { deadlineAtMs: SOON_MS }, startAgain],
    [
      'went to a number that the merchant set',
      { customer: { name: null, email: null, phone: '911234567', isPhoneUpdatable: false } },
      {},
      `${english.phoneFixed} ${startAgain}`,
    ],
  ])(
    'a prompt that %s: whose account is safe, and when the right number can be entered',
    async (_name, terms, attempt, when) => {
      const attempts = [{ ...PUSHED, ...attempt }];
      const text = textOf(
        await checkoutHtml(intentWith(terms, { status: 'processing', attempts })),
      );
      const paragraph = (words: string) => ` ${words.replaceAll('\u00a0', ' ')}`;
      expect(text).toContain(paragraph(english.wrongNumber('0911 234 567')));
      expect(text).toContain(paragraph(when));
      expect(text.includes('its time is over')).toBe(when.includes('its time is over'));
    },
  );

  test('the expired page of an unresolved prompt says whose account is safe', async () => {
    const left = { ...PUSHED, status: 'unresolved' } as const;
    const html = await checkoutHtml(intentWith({}, { status: 'expired', attempts: [left] }));
    expect(textOf(html)).toContain(`${english.wrongNumber('0911 234 567')} ${startAgain}`);
  });

  test('the step at the phone names the amount that is charged', async () => {
    const terms = { commissionPaidByCustomer: true };
    const html = await checkoutHtml(
      intentWith(terms, { status: 'processing', attempts: [PUSHED] }),
    );
    expect(textOf(html)).toContain('Check that the amount is ETB 1,515.00,');
  });

  test('a prompt that was not paid leads to its number, and another failure does not', async () => {
    const failed = { status: 'failed', failureReason: 'canceled_by_customer' } as const;
    const again = await checkoutHtml(intentWith({}, { attempts: [{ ...PUSHED, ...failed }] }));
    expect(textOf(again)).toContain(english.lastNumber('0911 234 567'));
    expect(again).toMatch(/<input id="phone"[^>]* value="0911 234 567"[^>]* autofocus/);
    for (const other of [
      attemptWith(failed),
      { ...PUSHED, ...failed, failureReason: 'rail_unavailable' } as const,
    ]) {
      expect(await checkoutHtml(intentWith({}, { attempts: [other] }))).not.toContain('autofocus');
    }
  });

  test("a chat's preview of the link shows the merchant, and nothing of the payment", async () => {
    const branding = { color: null, logoDigest: 'a'.repeat(64) };
    const html = await checkoutHtml({ ...paid, terms: termsWith({ branding }) });
    expect([...html.matchAll(/<meta property="og:[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<meta property="og:title" content="Pay to Tomoca Coffee"/>',
      `<meta property="og:image" content="https://pay.example.com${PATH}/logo/${'a'.repeat(64)}"/>`,
    ]);
    expect(PAGES.choose).not.toContain('og:image');
    expect(PAGES.unknown).not.toContain('og:');
  });

  test('the receipt shows reference, method, amount and time, and redirects back automatically', () => {
    const text = textOf(PAGES.paid);
    for (const part of [
      'H7K2M9QX4T0B8ZC3VN5D',
      'telebirr',
      'ETB 1,515.00',
      '21 Nov 2025, 12:00 EAT',
      english.detailsPaid,
    ]) {
      expect(text).toContain(part);
    }
    const url =
      'https://shop.example.com/thanks?paymentIntentUniqueId=order-1001&amp;status=SUCCESS';
    expect(PAGES.paid).toContain(`http-equiv="refresh" content="10;url=${url}`);
  });

  test.each(['en', 'am', 'om', 'ti'] as const)(
    'in %s, the ends show where the customer finds help, and nothing without such a place',
    async (language) => {
      const text = TRANSLATIONS[language];
      await loadTexts(language);
      const contact = { href: 'tel:+251911234567', text: '+251911234567' };
      const status = { href: 'https://status.example.com/', text: 'status.example.com' };
      for (const intent of [paid, intentWith({}, { status: 'canceled' })]) {
        const view = checkoutView(intent, NOW_MS, {});
        const page = async (support: Support) =>
          htmlIn(language, await pageOf({ view, path: PATH, support }));
        const html = await page({ contact, status });
        expect(textOf(html)).toContain(`${text.help} ${contact.text}`);
        expect(textOf(html)).toContain(`${text.serviceStatus} ${status.text}`);
        expect(html).toContain('href="tel:+251911234567"');
        expect(textOf(await page({ contact: null, status: null }))).not.toContain(text.help);
      }
    },
  );

  test('a payment opened again shows the receipt and does not redirect', async () => {
    const html = await checkoutHtml(paid, null, LATER_MS);
    expect(html).toContain('<h1>Receipt</h1>');
    expect(textOf(html)).not.toContain('already');
    expect(html).not.toContain('http-equiv="refresh"');
    expect(html).not.toContain('data-return');
  });

  test('who tries to pay again reads that it is paid, but the paper does not say so', async () => {
    const view = checkoutView(paid, NOW_MS, { triedAgain: true });
    const html = htmlIn('en', await pageOf({ view, path: PATH }));
    expect(html).toContain(`<h1>${english.alreadyPaidTitle}</h1>`);
    expect(html).toMatch(/screen-only">.*already been paid.*<\/div><h2>Receipt<\/h2>/);
  });

  test('a page says that an attempt is the last one, and the receipt that the customer paid twice', async () => {
    const failures = Array(ATTEMPTS_MAX - 1).fill(
      attemptWith({ status: 'failed', failureReason: 'declined' }),
    );
    const last = intentWith({}, { attempts: failures });
    expect(textOf(await checkoutHtml(last))).toContain(english.lastAttempt);
    const attempts = [...paid.attempts, attemptWith({ id: 'a2', status: 'succeeded' })];
    const twice = await checkoutHtml({ ...paid, attempts }, null, LATER_MS);
    expect(textOf(twice)).toContain('You paid more than once.');
  });

  test('the receipt names the seller as it was at the creation, and only what is set', async () => {
    const shown = async (business: Business | null) =>
      textOf(await checkoutHtml({ ...paid, terms: termsWith({ business }) }, null, LATER_MS));
    const business = {
      legalName: 'Tomoca PLC',
      tin: '0012345678',
      vatNumber: null,
      address: null,
      contact: 'shop@example.com',
    };
    expect(await shown(business)).toContain('Merchant Tomoca PLC TIN 0012345678 shop@example.com');
    expect(await shown(null)).not.toContain('TIN');
  });

  test('without JavaScript waiting pages reload themselves, and forms only when the time is over', () => {
    expect(PAGES.push).toContain('<noscript><meta http-equiv="refresh" content="5"/></noscript>');
    expect(PAGES.choose).toContain(
      `<noscript><meta http-equiv="refresh" content="901;url=${PATH}"/>`,
    );
    expect(PAGES.simulator).not.toContain('http-equiv="refresh"');
  });

  test('no page suggests to pay again while an abandoned attempt may still be paid', async () => {
    const left = attemptWith({ status: 'unresolved', failureReason: 'abandoned' });
    const declined = attemptWith({ id: 'b', status: 'failed', failureReason: 'declined' });
    const choosing = intentWith({}, { attempts: [left, declined] });
    const warning = `${english.leftTitle('telebirr')} ${english.leftLead}`;
    expect(textOf(await checkoutHtml(choosing))).toContain(warning);
    expect(
      textOf(await checkoutHtml(choosing, { method: 'CBE', phone: '1', problem: 'phone_invalid' })),
    ).toContain(warning);
    for (const status of ['failed', 'expired'] as const) {
      const text = textOf(await checkoutHtml(intentWith({}, { status, attempts: [left] })));
      expect(text).toContain('If you did pay, you do not need to do anything');
      expect(text).not.toMatch(/without paying|start again/);
    }
  });

  test('an express payment offers no other method and no way to abandon it', async () => {
    const html = await checkoutHtml({ ...inFlight, terms: termsWith({ kind: 'express' }) });
    expect(html).not.toContain('<form');
    expect(html).toContain('href="https://pay.example.com/simulator/t1.abc"');
  });

  test('the simulator lists the amounts that have a fixed outcome, and where they are explained', () => {
    const html = PAGES.simulator;
    for (const [name, { amountMinor }] of Object.entries(SCENARIOS)) {
      expect(textOf(html)).toContain(`${name} ETB ${majorText(amountMinor)}`);
    }
    expect(textOf(html)).toContain(`kefel_webhook ${WEBHOOK_FAULTS.join(', ')}`);
    expect(html).toContain('href="/docs/sandbox"');
  });
});

describe('answers', () => {
  const page = h(NoticePage, { kind: 'unknown', retryPath: null });

  test('a page that the merchant opened as a popup stays connected to the merchant', async () => {
    const request = new Request('https://pay.example.com/checkout/x');
    expect((await pageResponse(request, page)).headers.has('cross-origin-opener-policy')).toBe(
      false,
    );
    const dashboard = answerPage({ request }, h('p', {}));
    expect(dashboard.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });

  test('a redirect does not leak the link to its target', () => {
    const response = seeOther('https://a.example/');
    expect(response.status).toBe(303);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test.each([
    ['https://shop.example.com/a?b', "'self' https:"],
    ['http://localhost:3000/', "'self' http:"],
    ['http://[::1]:3000/', "'self' http:"],
    ['https://a;script-src/', "'self' https:"],
    ['https://a,b/', "'self' https:"],
    ['https://*/', "'self' https:"],
    ['myshop://paid', "'self' myshop:"],
    ['javascript:alert(1)', "'self'"],
    ['javascript://alert(1)', "'self'"],
    [null, "'self'"],
  ])('form targets: %s', async (target, sources) => {
    const response = await pageResponse(new Request('https://pay.example.com/checkout/x'), page, {
      formTargets: [target],
    });
    expect(response.headers.get('content-security-policy')).toContain(`form-action ${sources};`);
  });
});
