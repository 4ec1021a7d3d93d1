import type { CustomerAct, Reply } from './stand-in.ts';

/** An order that waits for its customer, as a stand-in's page shows it. */
export interface DeskOrder {
  readonly orderId: string;
  /** Includes the currency. */
  readonly amountText: string;
  readonly phone: string | null;
  /** Where the buttons post `orderId` and `act`. */
  readonly action: string;
  readonly acts: readonly CustomerAct[];
}

const BUTTON: Readonly<Record<CustomerAct, string>> = {
  pays: 'Pay',
  declines: 'Decline',
  lacks_funds: 'Insufficient funds',
  mistypes_pin: 'Wrong PIN',
  cancels: 'Cancel',
  times_out: 'Let it time out',
};

/** The page on which a person plays the customer. It needs no JavaScript. */
export function deskPage(title: string, orders: readonly DeskOrder[]): Reply {
  const list = orders.map(orderHtml).join('') || '<p>No orders are waiting.</p>';
  const body = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<h1>${escaped(title)}</h1><p><b>This is a STAND-IN for tests. No money moves.</b></p>${list}`;
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return { type: 'answer', status: 200, headers, body };
}

function orderHtml({ orderId, amountText, phone, action, acts }: DeskOrder): string {
  const buttons = acts
    .map((act) => `<button name="act" value="${act}">${BUTTON[act]}</button>`)
    .join(' ');
  const who = phone === null ? '' : `, phone ${escaped(phone)}`;
  return `<form method="post" action="${escaped(action)}">
<p>Order <code>${escaped(orderId)}</code>: <b>${escaped(amountText)}</b>${who}</p>
<input type="hidden" name="orderId" value="${escaped(orderId)}">${buttons}</form>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
