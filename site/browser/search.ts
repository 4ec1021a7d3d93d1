import MiniSearch from 'minisearch';
import type { SearchEntry } from '../search-entries.ts';

const RESULTS_MAX = 8;
/** Characters of text shown around the first word found. */
const EXCERPT_CHARACTERS = 120;

type Index = MiniSearch<SearchEntry>;

/** Shows the search field, and results below it while the reader types. */
export function startSearch(): void {
  const form = document.querySelector<HTMLFormElement>('[data-search]');
  const input = form?.querySelector('input');
  const list = form?.querySelector('ol');
  const status = form?.querySelector('[role=status]');
  if (!form || !input || !list || !status) {
    return;
  }
  let index: Promise<Index> | null = null;
  form.hidden = false;

  const show = async (): Promise<void> => {
    index ??= loadIndex(form.dataset.search ?? '');
    const query = input.value;
    const results = (await index).search(query).slice(0, RESULTS_MAX);
    if (query !== input.value) {
      // The reader typed on while the index was loaded.
      return;
    }
    list.replaceChildren(...results.map((result) => item(result as unknown as SearchEntry, query)));
    status.textContent = query === '' ? '' : countText(results.length);
    list.classList.toggle('none', query !== '' && results.length === 0);
  };

  input.addEventListener('focus', () => void show());
  input.addEventListener('input', () => void show());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = '';
      void show();
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      moveFocus([input, ...list.querySelectorAll('a')], event.key === 'ArrowDown' ? 1 : -1);
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(?:input|textarea)$/i.test(document.activeElement?.tagName ?? '')) {
      event.preventDefault();
      input.focus();
    }
  });
}

async function loadIndex(url: string): Promise<Index> {
  const entries: SearchEntry[] = await (await fetch(url)).json();
  const index = new MiniSearch<SearchEntry>({
    idField: 'url',
    fields: ['heading', 'page', 'text'],
    storeFields: ['url', 'page', 'heading', 'text'],
    tokenize: (text) => wordsOf(text).flatMap((word) => [word, ...partsOf(word)]),
    searchOptions: {
      tokenize: wordsOf,
      prefix: true,
      fuzzy: 0.15,
      combineWith: 'AND',
      boost: { heading: 4, page: 2 },
    },
  });
  index.addAll(entries);
  return index;
}

/** `paymentIntentUniqueId` and `payment_ended` are one word. */
function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u);
}

/** Of `payment_ended`: a reader may know a code by its words only. */
function partsOf(word: string): string[] {
  return word.includes('_') ? word.split('_') : [];
}

function item(entry: SearchEntry, query: string): HTMLLIElement {
  const link = document.createElement('a');
  link.href = entry.url;
  const heading = document.createElement('strong');
  heading.textContent =
    entry.heading === entry.page ? entry.page : `${entry.page}: ${entry.heading}`;
  const excerpt = document.createElement('span');
  excerpt.textContent = excerptOf(entry.text, query);
  link.append(heading, excerpt);
  const element = document.createElement('li');
  element.append(link);
  return element;
}

function excerptOf(text: string, query: string): string {
  const [word = ''] = query.toLowerCase().split(/\s+/);
  const at = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_CHARACTERS / 3);
  const start = at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const excerpt = text.slice(start, start + EXCERPT_CHARACTERS);
  // Ends between words.
  return start + excerpt.length < text.length ? excerpt.replace(/\s+\S*$/, ' …') : excerpt;
}

function countText(count: number): string {
  return count === 0 ? 'Nothing found' : `${count} found`;
}

function moveFocus(elements: readonly HTMLElement[], step: number): void {
  const active = elements.indexOf(document.activeElement as HTMLElement);
  elements[(active + step + elements.length) % elements.length]?.focus();
}
