import { fill } from './fill.ts';

/** The digits of an Ethiopian mobile number. The server checks again. */
const PHONE = /^(?:(?:00)?2510?|0)?([79]\d{2})(\d{3})(\d{3})$/;

/** "0911 234 567", as people read it, in what was typed; null for anything that is not a number. */
export function readableNumber(typed: string): string | null {
  const digits = PHONE.exec(typed.replace(/\D/g, ''));
  return digits && `0${digits[1]} ${digits[2]} ${digits[3]}`;
}

/** Checks the phone number before the form is sent, and helps to enter it. */
export function startPhone(): void {
  const input = document.querySelector<HTMLInputElement>('#phone:read-write');
  const note = document.querySelector<HTMLElement>('#phone-problem');
  if (input === null || note === null) {
    return;
  }
  let isPointing = false;
  /** The number that came with the page. */
  const known = input.value;

  let isKnownHidden = false;

  /** A method that can't charge the known number asks for another one. */
  const showKnown = (): void => {
    const starts =
      document.querySelector<HTMLElement>('[data-phone]:checked')?.dataset.phone ?? '79';
    const isOfUse = known === '' || starts.includes(known.charAt(1));
    if (input.value === (isKnownHidden ? '' : known)) {
      isKnownHidden = !isOfUse;
      input.value = isOfUse ? known : '';
    }
  };

  /** What is wrong with the number for the chosen method; empty when nothing is. */
  const problem = (): string => {
    const chosen = document.querySelector<HTMLInputElement>('[data-phone]:checked');
    const number = readableNumber(input.value);
    const { missing = '', invalid = '' } = note.dataset;
    if (chosen === null) {
      return '';
    }
    if (number === null) {
      return fill(
        input.value.trim() === '' ? missing : invalid,
        'example',
        chosen.dataset.example ?? '',
      );
    }
    return chosen.dataset.phone?.includes(number.charAt(1))
      ? ''
      : (document.querySelector(`#hint-${chosen.value}`)?.textContent ?? '');
  };

  const show = (text: string): void => {
    note.textContent = text;
    note.hidden = text === '';
    input.setAttribute('aria-invalid', String(text !== ''));
  };

  document.addEventListener('pointerdown', () => {
    isPointing = true;
  });
  document.addEventListener('keydown', () => {
    isPointing = false;
  });
  document.addEventListener('change', ({ target }) => {
    input.value = readableNumber(input.value) ?? input.value;
    if (target !== input) {
      showKnown();
    }
    const text = problem();
    if (target !== input || text === '') {
      show('');
    }
    // Not for arrow keys, which pass through the methods, nor to open a keyboard for nothing.
    if (target !== input && isPointing && text !== '') {
      input.focus();
    }
  });
  document.addEventListener('submit', (event) => {
    const text = event.target === input.form ? problem() : '';
    if (text !== '') {
      event.preventDefault();
      show(text);
      input.focus();
    }
  });
}
