import { type Order, PRODUCT, QUANTITY_MAX } from './orders.ts';

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

function money(amountMinor: number): string {
  return `ETB ${(amountMinor / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`;
}

export function productPage(
  gatewayUrl: string,
  orderId: string,
  problem: string | null = null,
): string {
  const quantities = Array.from({ length: QUANTITY_MAX }, (_, index) => index + 1);
  return page(
    gatewayUrl,
    PRODUCT.name,
    html`<article class="product">
  ${CUP}
  <div class="stack">
    <h1>${PRODUCT.name}</h1>
    <p>Washed, grown at 1,900 m in Gedeo, roasted in Addis Ababa this week. Tastes of jasmine and lemon.</p>
    <p class="price">${money(PRODUCT.priceMinor)}</p>
    ${problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`}
    <form class="stack" method="post" action="/orders" data-checkout>
      <input type="hidden" name="order" value="${orderId}">
      <label class="field">Quantity
        <select name="quantity">${new Html(quantities.map((count) => `<option>${count}</option>`).join(''))}</select>
      </label>
      <button name="pay" value="page">Pay</button>
      <p class="small">telebirr, CBE Birr, M-PESA, eBirr and bank accounts, on the payment page</p>
      <details>
        <summary>Or charge my M-PESA phone at once</summary>
        <label class="field">M-PESA number
          <input name="phone" type="tel" inputmode="tel" autocomplete="tel" placeholder="07…" value="0712345678">
        </label>
        <button class="second" name="pay" value="phone">Charge this phone</button>
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

/** Title, sign and text for every status of the order's payment. */
const STATES: Readonly<
  Record<Order['status'], readonly [title: string, tone: Tone, text: string]>
> = {
  OPEN: ['Waiting for your payment', 'wait', 'This page changes by itself when you have paid.'],
  PROCESSING: [
    'Waiting for your confirmation',
    'wait',
    'This page changes by itself when you have confirmed.',
  ],
  SUCCESS: [
    'Thank you, your order is paid',
    'good',
    'We are packing your coffee. It leaves tomorrow morning.',
  ],
  FAILED: ['The payment failed', 'bad', 'Nothing was charged.'],
  EXPIRED: ['The payment expired', 'bad', 'Nothing was charged.'],
  CANCELED: ['The payment was canceled', 'bad', 'Nothing was charged.'],
};

export function orderPage(gatewayUrl: string, order: Order): string {
  const [title, tone, text] = STATES[order.status];
  return page(
    gatewayUrl,
    title,
    html`<article class="stack order" data-status="${order.status}" data-order="${order.id}">
  <svg class="sign ${tone}" viewBox="0 0 24 24" aria-hidden="true"><path d="${SIGNS[tone]}"/></svg>
  <h1>${title}</h1>
  <p>${text}</p>
  <dl>
    <div><dt>Order</dt><dd><code>${order.id.slice(0, 13)}</code></dd></div>
    <div><dt>${order.quantity} × ${PRODUCT.name}</dt><dd>${money(order.amountMinor)}</dd></div>
  </dl>
  ${
    order.status === 'OPEN' && order.checkoutUrl !== null
      ? html`<a class="button" href="${order.checkoutUrl}">Continue to the payment</a>`
      : null
  }
  ${
    order.receiptUrl === null
      ? null
      : html`<a class="button" href="${order.receiptUrl}">Receipt</a>`
  }
  <a class="button second" href="/">${tone === 'bad' ? 'Try again' : 'Back to the shop'}</a>
</article>`,
    // Without JavaScript the page looks again by itself.
    tone === 'wait' ? html`<noscript><meta http-equiv="refresh" content="3"></noscript>` : null,
  );
}

export function notFoundPage(gatewayUrl: string): string {
  return page(
    gatewayUrl,
    'Page not found',
    html`<article class="stack order"><h1>Page not found</h1>
  <p>The shop forgets its orders when it stops.</p>
  <a class="button" href="/">To the shop</a></article>`,
  );
}

function page(gatewayUrl: string, title: string, content: Html, head: Html | null = null): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Demo Shop</title>
${head}<link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css">
<script src="${gatewayUrl}/kefel.js" defer></script>
<script src="/shop.js" type="module"></script>
</head>
<body>
<header>
<p class="test">A demo: nothing is sold, no money moves</p>
<a href="/">Demo Shop</a>
</header>
<main>${content}</main>
</body>
</html>
`.text;
}

/** A cup of buna. */
const CUP = html`<svg class="cup" viewBox="0 0 240 180" role="img" aria-label="A cup of coffee">
  <g fill="none" stroke="currentColor" stroke-width="5" stroke-linecap="round" opacity=".45">
    <path d="M96 58c-8-12 8-18 0-32M120 54c-8-12 8-18 0-32M144 58c-8-12 8-18 0-32"/>
  </g>
  <path d="M60 76h120c0 44-22 70-60 70S60 120 60 76z" fill="#fff"/>
  <ellipse cx="120" cy="76" rx="60" ry="12" fill="#4a230a"/>
  <path d="M84 112l12 8-12 8-12-8zm36 6l12 8-12 8-12-8zm36-6l12 8-12 8-12-8z" fill="#0b6b4b"/>
  <ellipse cx="120" cy="156" rx="76" ry="9" fill="#fff" opacity=".7"/>
</svg>`;
