import { markField } from './fields.ts';

/** Long enough to type the next digit. */
const TYPED_AFTER_MS = 250;

/**
 * The refund's form says what becomes of the amount that is typed. The server says it, so that the
 * page computes no money, and until it does the page says nothing of another amount.
 */
export function refundPreview(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-preview]');
  const amount = form?.querySelector<HTMLInputElement>('#amount');
  if (form == null || amount == null) {
    return;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = () => {
    markField(amount, null);
    show('sentence', form.dataset.preview);
    show('warning', undefined);
    clearTimeout(timer);
    timer = setTimeout(() => void preview(form, amount), TYPED_AFTER_MS);
  };
  amount.addEventListener('input', follow);
  // A browser that comes back may have kept what was typed.
  if (amount.value !== amount.defaultValue) {
    follow();
  }
}

async function preview(form: HTMLFormElement, amount: HTMLInputElement): Promise<void> {
  const asked = amount.value;
  const body = new URLSearchParams();
  new FormData(form).forEach((value, name) => {
    body.set(name, String(value));
  });
  const answer = await answerOf(form, body);
  if (amount.value !== asked) {
    // The next answer is about what is typed now.
    return;
  }
  if (answer.field === amount.name) {
    markField(amount, answer.message ?? null);
  }
  show('sentence', answer.sentence);
  show('warning', answer.warning);
}

interface Answer {
  readonly sentence?: string;
  readonly warning?: string;
  readonly field?: string;
  readonly message?: string;
}

async function answerOf(form: HTMLFormElement, body: URLSearchParams): Promise<Answer> {
  try {
    const headers = { accept: 'application/json' };
    const response = await fetch(form.action, { method: 'POST', headers, body });
    return await response.json();
  } catch {
    return { sentence: form.dataset.network ?? '' };
  }
}

/** Hidden without a text. */
function show(part: string, text: string | undefined): void {
  const place = document.getElementById(`refund-${part}`);
  if (place !== null) {
    place.hidden = !text;
    place.textContent = text ?? '';
  }
}
