import type { CustomerAct, Reply, WaitingOrder } from './stand-in.ts';

/** An order as a stand-in's page shows it. */
export interface DeskOrder extends WaitingOrder {
  /** Where the buttons post `orderId` and `act`. */
  readonly action: string;
  /** Who asks, on a page with the orders of several providers. */
  readonly from?: string;
}

const BUTTON: Readonly<Record<CustomerAct, string>> = {
  pays: 'Pay',
  declines: 'Decline',
  lacks_funds: 'Insufficient funds',
  mistypes_pin: 'Wrong PIN',
  cancels: 'Cancel',
  times_out: 'Let it time out',
};

/** A phone of 360 px, or the whole window where that is not wider. Buttons are 48 px tall. */
const STYLE = `:root { color-scheme: light dark; --ink: #14201a; --page: #f1f4f1; --screen: #fff; --edge: #78867e; --first: #0b6b4b; --on-first: #fff; --test: #ffefcf; --on-test: #5b3a00 }
@media (prefers-color-scheme: dark) { :root { --ink: #e9efeb; --page: #0d1210; --screen: #161d1a; --first: #57c79c; --on-first: #06150e; --test: #3d2c06; --on-test: #ffdf9e } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 24rem; min-height: 100vh; margin: 0 auto; padding: 1rem; background: var(--screen) }
h1 { margin: 1rem 0; font-size: 1.375rem }
h2 { margin: 0; font-size: 1rem }
p { margin: .25rem 0 }
.test { margin: -1rem -1rem 0; padding: .5rem 1rem; background: var(--test); color: var(--on-test); text-align: center; font-weight: 600 }
.amount { font-size: 1.75rem; font-weight: 700 }
form { display: grid; gap: .5rem; margin: 1rem 0; padding: 1rem; border: 1px solid var(--edge); border-radius: .75rem }
input { min-height: 3rem; padding: .5rem; border: 1px solid var(--edge); border-radius: .625rem; background: none; color: inherit; font: inherit }
.message { margin: .5rem 0; padding: .75rem 1rem; border: 1px solid var(--edge); border-radius: .75rem; white-space: pre-wrap }
button { min-height: 3rem; padding: .5rem 1rem; border: 1px solid var(--edge); border-radius: .625rem; background: none; color: inherit; font: inherit; font-weight: 600; cursor: pointer }
button[value=pays] { border-color: transparent; background: var(--first); color: var(--on-first) }
footer { max-width: 24rem; margin: 0 auto; padding: 1rem; background: var(--screen) }
li a { display: inline-block; padding: .75rem 0; color: inherit }
@media (min-width: 30rem) { main { min-height: 42rem; margin: 2rem auto; border: .75rem solid #14201a; border-radius: 2.5rem; overflow: hidden } }`;

/**
 * The page on which a person plays the customer. It needs no JavaScript. `end`: what follows the
 * orders, such as a script that shows news.
 */
export function deskPage(title: string, orders: readonly DeskOrder[], end = ''): Reply {
  const list = orders.map(orderHtml).join('') || '<p>No orders are waiting.</p>';
  return pageReply(title, `<div aria-live="polite">${list}</div>`, end);
}

/** Shows what is new on the page at `/` without a reload. Forms that someone is using stay. */
export const LIVE_SCRIPT = `<script>
setInterval(async () => {
  const list = document.querySelector('[aria-live]');
  const answer = await fetch('/').catch(() => null);
  if (answer === null) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.querySelector('[aria-live]').innerHTML;
  if (list.innerHTML !== next && !list.contains(document.activeElement)) list.innerHTML = next;
}, 2000);
</script>`;

/** A page of a stand-in. */
export function pageReply(title: string, content: string, end: string): Reply {
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>
<link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><main><p class="test">This is a stand-in for tests. No money moves.</p>
<h1>${escaped(title)}</h1>${content}</main>${end}</body></html>`;
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return { type: 'answer', status: 200, headers, body };
}

function orderHtml({ orderId, amountText, phone, action, acts, from }: DeskOrder): string {
  const buttons = acts
    .map((act) => `<button name="act" value="${act}">${BUTTON[act]}</button>`)
    .join(' ');
  const who = phone === null ? '' : `<p>Phone ${escaped(phone)}</p>`;
  const sender = from === undefined ? '' : `<h2>${escaped(from)}</h2>`;
  return `<form method="post" action="${escaped(action)}">${sender}
<p class="amount">${escaped(amountText)}</p>${who}<p>Order <code>${escaped(orderId)}</code></p>
<input type="hidden" name="orderId" value="${escaped(orderId)}">${buttons}</form>`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
