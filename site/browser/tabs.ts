/** The labels that the reader chose, the latest first. */
const STORAGE_KEY = 'kefel-docs-tabs';
const LABELS_MAX = 10;

interface Tab {
  readonly label: string;
  readonly button: HTMLButtonElement;
  readonly panel: HTMLElement;
}

type Group = readonly Tab[];

/** Shows one alternative of each group at a time, the one that the reader chose last on any page. */
export function startTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('[data-tabs]')].map(groupOf);
  showChosen(groups);
  for (const group of groups) {
    for (const [index, { label, button }] of group.entries()) {
      button.addEventListener('click', () => chooseAt(groups, button, label));
      button.addEventListener('keydown', (event) => {
        const next = group[nextIndex(event.key, index, group.length)];
        if (next !== undefined) {
          event.preventDefault();
          chooseAt(groups, next.button, next.label);
          next.button.focus();
        }
      });
    }
  }
  const showTarget = () => showPartNamed(groups, decodeURIComponent(location.hash.slice(1)));
  addEventListener('hashchange', showTarget);
  showTarget();
}

function groupOf(element: HTMLElement, position: number): Group {
  const list = document.createElement('div');
  list.className = 'tab-list';
  list.setAttribute('role', 'tablist');
  const tabs = [...element.querySelectorAll<HTMLElement>('[data-tab]')].map((panel, index) => {
    const label = panel.dataset.tab ?? '';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    // The button takes the place of the heading, also for links.
    const heading = panel.querySelector<HTMLElement>('.tab-label');
    button.id = heading?.id || `tab-${position}-${index}`;
    if (heading) {
      heading.removeAttribute('id');
      // Without its link to itself, which the keyboard would reach unseen.
      heading.textContent = label;
      heading.classList.add('visually-hidden');
    }
    button.setAttribute('role', 'tab');
    button.setAttribute('aria-controls', `panel-${position}-${index}`);
    panel.id = `panel-${position}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', button.id);
    list.append(button);
    return { label, button, panel };
  });
  list.setAttribute('aria-label', tabs.map(({ label }) => label).join(', '));
  element.prepend(list);
  return tabs;
}

function showChosen(groups: readonly Group[]): void {
  const chosen = remembered();
  for (const group of groups) {
    const labels = group.map(({ label }) => label);
    const shown = chosen.find((label) => labels.includes(label)) ?? labels[0];
    for (const { label, button, panel } of group) {
      const isShown = label === shown;
      panel.hidden = !isShown;
      button.setAttribute('aria-selected', String(isShown));
      button.tabIndex = isShown ? 0 : -1;
    }
  }
}

/** Shows `label` in every group that has it; `button` stays where it is on the screen. */
function chooseAt(groups: readonly Group[], button: HTMLElement, label: string): void {
  const before = button.getBoundingClientRect().top;
  remember(label);
  showChosen(groups);
  scrollBy(0, button.getBoundingClientRect().top - before);
}

/** A link may lead into an alternative that is not shown. */
function showPartNamed(groups: readonly Group[], id: string): void {
  const target = id === '' ? null : document.getElementById(id);
  const tab = groups
    .flat()
    .find(({ button, panel }) => target === button || (target && panel.contains(target)));
  if (tab !== undefined) {
    remember(tab.label);
    showChosen(groups);
  }
  // The tabs have moved what is below them.
  target?.scrollIntoView();
}

function nextIndex(key: string, index: number, count: number): number {
  const indexes: Readonly<Record<string, number>> = {
    ArrowRight: (index + 1) % count,
    ArrowLeft: (index - 1 + count) % count,
    Home: 0,
    End: count - 1,
  };
  return indexes[key] ?? -1;
}

/** For this page, where the browser stores nothing. */
let chosenLabels: readonly string[] | null = null;

function remembered(): readonly string[] {
  try {
    chosenLabels ??= JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]') as string[];
  } catch {
    chosenLabels = [];
  }
  return chosenLabels;
}

function remember(label: string): void {
  const others = remembered().filter((other) => other !== label);
  chosenLabels = [label, ...others].slice(0, LABELS_MAX);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(chosenLabels));
  } catch {
    // A browser may forbid storage; the page works without.
  }
}
