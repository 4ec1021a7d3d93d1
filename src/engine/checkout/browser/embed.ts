import { POPUP_TEXTS } from '../../i18n/popup.ts';
import type { OpenerMessage } from './opener-message.ts';

/**
 * `/kefel.js`, for the merchants' pages (docs/embedding.md). Shows the checkout in a popup, or leads
 * there where popups are blocked and on phones. On the page of the `returnUrl` it tells the page
 * that waits that the customer is back.
 */

/** How the payment stood when the popup last told. Null until it has. It proves nothing. */
export interface Returned {
  readonly paymentIntentUniqueId: string | null;
  readonly status: string | null;
  readonly transactionId: string | null;
}

export interface OpenOptions {
  /**
   * The address of the checkout, or a function that fetches it. With the function, the popup opens
   * within the click, so that browsers do not block it.
   */
  readonly checkoutUrl: string | (() => string | Promise<string>);
  /**
   * The customer has returned, or has closed the popup. Called again if a popup that a provider's
   * page had cut off returns later. Ask your server whether the payment is paid.
   */
  readonly onReturn: (returned: Returned) => void;
}

interface Popup {
  readonly window: Window;
  readonly onReturn: OpenOptions['onReturn'];
  /** Null while it is being fetched. */
  readonly url: URL | null;
  readonly latest: Returned;
}

/** Between pages of the merchant: from the one of the `returnUrl`, and the answer to it. */
interface ChannelMessage {
  readonly type: 'returned' | 'seen';
  readonly returned: Returned;
}

/** The window's name: a page that reloads finds its popup again. */
const NAME = 'kefel';
const WIDTH_PX = 480;
const HEIGHT_PX = 760;
/** A popup is beside its page, so the screen must be wide and have a mouse. */
const HAS_ROOM = '(min-width: 40em) and (pointer: fine)';
/** Browsers fire no event when a window closes or comes back to our origin. */
const CHECK_MS = 500;

/** What the gateway has appended to the `returnUrl`. */
function returnedIn({ searchParams }: URL): Returned {
  return {
    paymentIntentUniqueId: searchParams.get('paymentIntentUniqueId'),
    status: searchParams.get('status'),
    transactionId: searchParams.get('transactionId'),
  };
}

/** What this page tells, if it is the one of a `returnUrl`. */
const arrived = returnedIn(new URL(location.href));

const UNKNOWN: Returned = { paymentIntentUniqueId: null, status: null, transactionId: null };

let current: Popup | null = null;
let check: number | undefined;
/** An address is being fetched: a second click must not fetch another. */
let isOpening = false;
let channel: BroadcastChannel | null = null;
let notice: HTMLDialogElement | null = null;

/** Call it in the handler of a click. Rejects when `checkoutUrl` does. */
async function open({ checkoutUrl, onReturn }: OpenOptions): Promise<void> {
  const shown = current?.window.closed === false ? current : null;
  shown?.window.focus();
  if (isOpening) {
    return;
  }
  isOpening = true;
  const popup = shown?.window ?? (matchMedia(HAS_ROOM).matches ? openWindow() : null);
  if (popup !== null && shown === null) {
    show({ window: popup, onReturn, url: null, latest: UNKNOWN });
  }
  try {
    const url = await addressFrom(checkoutUrl);
    if (popup === null) {
      location.assign(url.href);
    } else if (!popup.closed && url.href !== shown?.url?.href) {
      show({ window: popup, onReturn, url, latest: UNKNOWN });
      popup.location.replace(url.href);
    }
  } catch (error) {
    if (shown === null) {
      finish();
    }
    throw error;
  } finally {
    isOpening = false;
  }
}

/** Null where popups are blocked: then this tab leads to the checkout. */
function openWindow(): Window | null {
  const left = Math.max(0, screenX + (outerWidth - WIDTH_PX) / 2);
  const top = Math.max(0, screenY + (outerHeight - HEIGHT_PX) / 2);
  const features = `popup,width=${WIDTH_PX},height=${HEIGHT_PX},left=${left},top=${top}`;
  try {
    // Some blockers throw, and some answer with a window that is closed.
    const popup = window.open('', NAME, features);
    return popup?.closed === false ? popup : null;
  } catch {
    return null;
  }
}

async function addressFrom(checkoutUrl: OpenOptions['checkoutUrl']): Promise<URL> {
  const url = new URL(typeof checkoutUrl === 'string' ? checkoutUrl : await checkoutUrl());
  if (!/^https?:$/.test(url.protocol)) {
    throw new TypeError('checkoutUrl must be an http or https address');
  }
  return url;
}

function show(popup: Popup): void {
  current = popup;
  clearInterval(check);
  check = setInterval(checkPopup, CHECK_MS);
  listen();
  notice ??= showNotice();
}

/**
 * The notice is at the top, so that a double click on the shop's button does not hit it. The style
 * names each property that the shop's style sheet may reset.
 */
const NOTICE_STYLE =
  'position:fixed;inset:1rem 0 auto;z-index:9999;width:fit-content;margin:0 auto;padding:1rem;border:1px solid;border-radius:.75rem;font:1rem/1.5 system-ui,sans-serif';
const BUTTON_STYLE =
  'display:block;width:100%;min-height:2.75rem;margin-top:.5rem;border-radius:.5rem;font:inherit';
const SECOND_STYLE = ';border:1px solid;background:none;color:inherit';

/** Says where the payment is: other windows may cover the popup. */
function showNotice(): HTMLDialogElement {
  const [language] = document.documentElement.lang.split('-');
  const texts = POPUP_TEXTS[language as keyof typeof POPUP_TEXTS] ?? POPUP_TEXTS.en;
  const dialog = document.createElement('dialog');
  dialog.style.cssText = NOTICE_STYLE;
  dialog.setAttribute('aria-label', texts.isOpen);
  dialog.append(
    texts.isOpen,
    buttonFor(texts.show, BUTTON_STYLE, () => current?.window.focus()),
    buttonFor(texts.cancel, BUTTON_STYLE + SECOND_STYLE, () => {
      const popup = finish();
      popup?.onReturn(popup.latest);
    }),
  );
  document.body.append(dialog);
  dialog.show();
  return dialog;
}

function buttonFor(text: string, style: string, act: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.textContent = text;
  button.style.cssText = style;
  button.addEventListener('click', act);
  return button;
}

function hideNotice(): void {
  // Gives the focus back to the button that opened the popup.
  notice?.close();
  notice?.remove();
  notice = null;
}

/** A popup whose provider cut it off reads as closed: its `returnUrl` may still tell more. */
function checkPopup(): void {
  if (current?.window.closed) {
    clearInterval(check);
    hideNotice();
    current.onReturn(current.latest);
  } else if (current !== null) {
    const returned = returnedTo(current.window);
    if (returned.paymentIntentUniqueId !== null) {
      finish()?.onReturn(returned);
    }
  }
}

/** What the popup's address tells, once it is one of our own origin: the `returnUrl`. */
function returnedTo({ location }: Window): Returned {
  try {
    return returnedIn(new URL(location.href));
  } catch {
    // A page of another origin, such as the checkout, hides its address.
    return UNKNOWN;
  }
}

/** Closes the popup and ends the wait. */
function finish(): Popup | null {
  const finished = current;
  current = null;
  clearInterval(check);
  hideNotice();
  finished?.window.close();
  return finished;
}

addEventListener('message', ({ data, origin, source }: MessageEvent<OpenerMessage>) => {
  if (current === null || source !== current.window || origin !== current.url?.origin) {
    return;
  }
  if (data?.type === 'kefel') {
    const latest = returnedIn(new URL(data.returnUrl));
    current = { ...current, latest };
    if (data.isReturning) {
      finish()?.onReturn(latest);
    }
  }
});

/** Opens the channel between the merchant's own pages. Safari before 15.4 has none. */
function listen(): BroadcastChannel | null {
  if (channel === null && typeof BroadcastChannel === 'function') {
    channel = new BroadcastChannel(NAME);
    channel.onmessage = ({ data }: MessageEvent<ChannelMessage>) => hear(data);
  }
  return channel;
}

function hear({ type, returned }: ChannelMessage): void {
  const id = returned.paymentIntentUniqueId;
  if (type === 'seen') {
    if (id === arrived.paymentIntentUniqueId) {
      window.close();
    }
  } else if (current !== null && id === (current.latest.paymentIntentUniqueId ?? id)) {
    listen()?.postMessage({ type: 'seen', returned });
    finish()?.onReturn(returned);
  }
}

if (arrived.paymentIntentUniqueId !== null && arrived.status !== null) {
  listen()?.postMessage({ type: 'returned', returned: arrived });
}

Object.assign(window, { Kefel: { open } });
