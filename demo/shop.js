/** The shop's script: a popup for the checkout, and an order page that follows its payment. */

const POLL_MS = 1_500;

const form = document.querySelector('form[data-checkout]');
form?.addEventListener('submit', (event) => {
  // Charging a phone needs no page; without the gateway's script the form leads there itself.
  if (event.submitter?.value !== 'page' || window.Kefel === undefined) {
    return;
  }
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  let orderPath = '/';
  window.Kefel.open({
    checkoutUrl: async () => {
      const headers = { accept: 'application/json' };
      const response = await fetch('/orders', { method: 'POST', headers, body });
      const order = await response.json();
      orderPath = order.orderPath;
      return order.checkoutUrl;
    },
    // Paid or not: the order's page asks the server, which knows.
    onReturn: () => location.assign(orderPath),
  }).catch(() => form.submit());
});

const order = document.querySelector('[data-order]');
const status = order?.dataset.status;
if (status === 'OPEN' || status === 'PROCESSING') {
  setInterval(async () => {
    const response = await fetch(`/orders/${order.dataset.order}/status`);
    if (response.ok && (await response.json()).status !== status) {
      location.reload();
    }
  }, POLL_MS);
}
