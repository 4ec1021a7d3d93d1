import { markField } from './fields.ts';

/** Long enough to type the next digit. */
const TYPED_AFTER_MS = 250;

/**
 * The form shows what a refund of the typed amount would do. The server computes it, because the
 * page computes no money. Until the answer, the page hides the text about the earlier amount.
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
  // A browser that returns to the page may have kept what the member typed.
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
    // The field has changed: the next answer is about its new text.
    return;
  }
  if (answer.field === amount.name) {
    markField(amount, answer.message ?? null);
  }
  show('sentence', answer.sentence);
  const problem = answer.field === amount.name ? undefined : answer.message;
  show('warning', answer.warning ?? problem);
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

/** Shows the text, or hides its place without one. */
function show(part: string, text: string | undefined): void {
  const place = document.getElementById(`refund-${part}`);
  if (place !== null) {
    place.hidden = !text;
    place.textContent = text ?? '';
  }
}
