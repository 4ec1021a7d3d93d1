import { type Order, PRODUCT, QUANTITY_MAX } from './orders.ts';
import { type Language, TEXTS } from './texts.ts';

/** The shop's pages. */

/** Text that is safe in a page. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Escapes every value that is not Html itself. */
function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | null)[]
): Html {
  const texts = values.map((value) =>
    value instanceof Html ? value.text : escaped(String(value ?? '')),
  );
  return new Html(String.raw({ raw: parts }, ...texts));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function money(amountMinor: number, language: Language): string {
  const amount = (amountMinor / 100).toLocaleString('en', { minimumFractionDigits: 2 });
  return language === 'am' ? `ብር ${amount}` : `ETB ${amount}`;
}

/** What every page needs. */
export interface Visit {
  readonly gatewayUrl: string;
  readonly language: Language;
  /** Where the link to the other language leads. */
  readonly path: string;
}

export function productPage(visit: Visit, orderId: string, problem: string | null = null): string {
  const text = TEXTS[visit.language];
  const quantities = Array.from({ length: QUANTITY_MAX }, (_, index) => index + 1);
  return page(
    visit,
    text.product,
    html`<article class="product">
  ${cup(text.cup)}
  <div class="stack">
    <h1>${text.product}</h1>
    <p>${text.about}</p>
    <p class="price">${money(PRODUCT.priceMinor, visit.language)}</p>
    ${problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`}
    <form class="stack" method="post" action="/orders" data-checkout>
      <input type="hidden" name="order" value="${orderId}">
      <label class="field">${text.quantity}
        <select name="quantity">${new Html(quantities.map((count) => `<option>${count}</option>`).join(''))}</select>
      </label>
      <button name="pay" value="page">${text.pay}</button>
      <p class="small">${text.methods}</p>
      <details>
        <summary>${text.orPhone}</summary>
        <label class="field">${text.phone}
          <input name="phone" type="tel" inputmode="tel" autocomplete="tel" placeholder="07…" value="0712345678">
        </label>
        <button class="second" name="pay" value="phone">${text.chargePhone}</button>
      </details>
    </form>
  </div>
</article>`,
  );
}

type Tone = 'good' | 'wait' | 'bad';

/** A check mark, a clock and an exclamation mark. */
const SIGNS: Readonly<Record<Tone, string>> = {
  good: 'M6 12.5l4 4L18 8',
  wait: 'M12 6.5V12l3.5 2',
  bad: 'M12 6v7.5M12 17.5v.1',
};

const TONES: Readonly<Record<Order['status'], Tone>> = {
  OPEN: 'wait',
  PROCESSING: 'wait',
  SUCCESS: 'good',
  FAILED: 'bad',
  EXPIRED: 'bad',
  CANCELED: 'bad',
};

export function orderPage(visit: Visit, order: Order): string {
  const { language } = visit;
  const text = TEXTS[language];
  const [title, more] = text.states[order.status];
  const tone = TONES[order.status];
  return page(
    visit,
    title,
    html`<article class="stack order" data-status="${order.status}" data-order="${order.id}">
  <svg class="sign ${tone}" viewBox="0 0 24 24" aria-hidden="true"><path d="${SIGNS[tone]}"/></svg>
  <h1>${title}</h1>
  <p>${more}</p>
  <dl>
    <div><dt>${text.order}</dt><dd><code>${order.id.slice(0, 13)}</code></dd></div>
    <div><dt>${order.quantity} × ${text.product}</dt><dd>${money(order.amountMinor, language)}</dd></div>
    ${paidRow(order, visit)}
  </dl>
  ${
    order.status === 'OPEN' && order.checkoutUrl !== null
      ? html`<a class="button" href="${order.checkoutUrl}">${text.continue}</a>`
      : null
  }
  ${
    order.receiptUrl === null
      ? null
      : html`<a class="button" href="${order.receiptUrl}">${text.receipt}</a>`
  }
  <a class="button second" href="/">${tone === 'bad' ? text.again : text.back}</a>
</article>`,
    // Without JavaScript the page looks again by itself.
    tone === 'wait' ? html`<noscript><meta http-equiv="refresh" content="3"></noscript>` : null,
  );
}

/** What the customer paid: the commission came on top. */
function paidRow({ status, amountMinor, chargedMinor }: Order, { language }: Visit): Html | null {
  const feeMinor = chargedMinor - amountMinor;
  const fee = feeMinor === 0 ? null : money(feeMinor, language);
  return status === 'SUCCESS'
    ? html`<div><dt>${TEXTS[language].paid(fee)}</dt><dd><strong>${money(chargedMinor, language)}</strong></dd></div>`
    : null;
}

export function notFoundPage(visit: Visit): string {
  const text = TEXTS[visit.language];
  return page(
    visit,
    text.notFound,
    html`<article class="stack order"><h1>${text.notFound}</h1>
  <p>${text.forgets}</p>
  <a class="button" href="/">${text.toShop}</a></article>`,
  );
}

function page(visit: Visit, title: string, content: Html, head: Html | null = null): string {
  const { gatewayUrl, language, path } = visit;
  const text = TEXTS[language];
  const [otherLanguage, otherName] = text.other;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${text.shop}</title>
${head}<link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css">
<script src="${gatewayUrl}/kefel.js" defer></script>
<script src="/shop.js" type="module"></script>
</head>
<body>
<header>
<p class="test">${text.demo}</p>
<div class="bar"><a href="/">${text.shop}</a><a class="language" lang="${otherLanguage}" href="${path}?lang=${otherLanguage}">${otherName}</a></div>
</header>
<main>${content}</main>
</body>
</html>
`.text;
}

/** A cup of buna. */
function cup(label: string): Html {
  return html`<svg class="cup" viewBox="0 0 240 180" role="img" aria-label="${label}">
  <g fill="none" stroke="currentColor" stroke-width="5" stroke-linecap="round" opacity=".45">
    <path d="M96 58c-8-12 8-18 0-32M120 54c-8-12 8-18 0-32M144 58c-8-12 8-18 0-32"/>
  </g>
  <path d="M60 76h120c0 44-22 70-60 70S60 120 60 76z" fill="#fff"/>
  <ellipse cx="120" cy="76" rx="60" ry="12" fill="#4a230a"/>
  <path d="M84 112l12 8-12 8-12-8zm36 6l12 8-12 8-12-8zm36-6l12 8-12 8-12-8z" fill="#0b6b4b"/>
  <ellipse cx="120" cy="156" rx="76" ry="9" fill="#fff" opacity=".7"/>
</svg>`;
}
