import { Search, type SearchEntry } from '../search.ts';

const RESULTS_MAX = 8;
/** Characters of text shown around the first word found. */
const EXCERPT_CHARACTERS = 120;

/** Shows the search field, and results below it while the reader types. */
export function startSearch(): void {
  const form = document.querySelector<HTMLFormElement>('[data-search]');
  const input = form?.querySelector('input');
  const list = form?.querySelector('ol');
  const status = form?.querySelector('[role=status]');
  if (!form || !input || !list || !status) {
    return;
  }
  let loading: Promise<Search> | null = null;
  form.hidden = false;

  const show = async (): Promise<void> => {
    loading ??= load(form.dataset.search ?? '');
    const query = input.value;
    const results = (await loading).find(query).slice(0, RESULTS_MAX);
    if (query !== input.value) {
      // The reader typed on while the entries were loaded.
      return;
    }
    list.replaceChildren(...results.map((result) => item(result, query)));
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

async function load(url: string): Promise<Search> {
  return new Search(await (await fetch(url)).json());
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
