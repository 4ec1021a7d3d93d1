import type { OpenerMessage } from './opener-message.ts';

/**
 * In a popup of the merchant's page, tells that page how the payment stands (docs/embedding.md).
 * Only pages of the `returnUrl`'s origin receive it: the page that opened us may be anyone's.
 */
export function startOpener(): void {
  tellOpener(false);
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a') : null;
    if (link?.getAttribute('href') === document.body.dataset.wayBack) {
      tellOpener(true);
    }
  });
}

export function tellOpener(isReturning: boolean): void {
  const opener: Window | null = window.opener;
  const { wayBack: returnUrl } = document.body.dataset;
  if (opener === null || returnUrl === undefined) {
    return;
  }
  const { origin } = new URL(returnUrl);
  // The address of an app has no origin.
  if (origin !== 'null') {
    const message: OpenerMessage = { type: 'kefel', isReturning, returnUrl };
    opener.postMessage(message, origin);
  }
}
