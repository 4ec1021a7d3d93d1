import { fill } from './fill.ts';
import { tellOpener } from './opener.ts';
import { isAttended, navigation, onRestore } from './page.ts';

const SECOND_MS = 1_000;

/** Returns the customer to the merchant, unless they choose to stay, to read or to print. */
export function startAutoReturn(): void {
  const notice = document.querySelector<HTMLElement>('[data-return]');
  if (notice === null) {
    return;
  }
  const words = notice.querySelector('span');
  const stay = notice.querySelector<HTMLElement>('[data-stay]');
  let leftSeconds = Number(notice.dataset.seconds);
  let timer: number | undefined;

  const stop = (): void => {
    clearTimeout(timer);
    notice.hidden = true;
  };

  const step = (): void => {
    if (words !== null) {
      words.textContent = fill(notice.dataset.template, 'seconds', leftSeconds);
    }
    if (leftSeconds > 0) {
      timer = setTimeout(count, SECOND_MS);
    } else {
      tellOpener(true);
      location.assign(notice.dataset.return ?? '');
      // An app opens beside this page, which stays.
      notice.hidden = true;
    }
  };

  const count = (): void => {
    if (isAttended()) {
      leftSeconds -= 1;
    }
    step();
  };

  // A customer who came here by Back or a reload wants to read.
  onRestore(stop);
  if (history.state !== null || navigation?.type === 'back_forward') {
    stop();
    return;
  }
  history.replaceState(true, '');
  addEventListener('beforeprint', stop);
  if (stay !== null) {
    stay.hidden = false;
    stay.addEventListener('click', () => {
      stop();
      focusHeading();
    });
  }
  step();
}

/** The focused button is gone. Without this, the keyboard would start at the top of the page. */
function focusHeading(): void {
  const heading = document.querySelector('h1');
  if (heading !== null) {
    heading.tabIndex = -1;
    heading.focus();
  }
}
