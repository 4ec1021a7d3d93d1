import type { ComponentChildren } from 'preact';
import { seal, unseal } from '../../../src/kit/crypto/sealed.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { Message } from '../../ui/elements.tsx';
import { usePageUrl } from '../../ui/page.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { DeskCall } from './call.ts';

/** Lists whose entries are chosen by check boxes, for one decision about several of them. */

/** The query parameter of each chosen entry. */
const CHOSEN = 'item';
/** The query parameter that checks all boxes of the page. */
const ALL = 'all';
/** The query parameter with what was left as it was. */
const LEFT = 'left';
/** Names of payments may have hundreds of characters, and the address names up to a page of them. */
const LEFT_NAME_LENGTH_MAX = 40;

export function chosenIn({ url }: DeskCall): readonly string[] {
  return url.searchParams.getAll(CHOSEN);
}

/** The query of a page about the chosen entries. */
export function chosenQuery(call: DeskCall): string {
  return String(new URLSearchParams(chosenIn(call).map((id) => [CHOSEN, id])));
}

export function ChooseBox(props: { readonly id: string; readonly name: string }) {
  const { chooseItem } = useTexts(DESK_TEXTS).pages;
  return (
    <label class="choose">
      <input
        type="checkbox"
        name={CHOSEN}
        value={props.id}
        checked={usePageUrl().searchParams.has(ALL)}
      />
      <span class="visually-hidden">{chooseItem(shownText(props.name))}</span>
    </label>
  );
}

/** A list with check boxes, and the buttons that lead to the questions about what is chosen. */
export function ChooseForm(props: {
  readonly actions: readonly { readonly path: string; readonly text: string }[];
  readonly children: ComponentChildren;
}) {
  const { actions, children } = props;
  const text = useTexts(DESK_TEXTS).pages;
  const { pathname, searchParams } = usePageUrl();
  const isAll = searchParams.has(ALL);
  const query = new URLSearchParams(searchParams);
  for (const name of ['done', LEFT, ALL]) {
    query.delete(name);
  }
  if (!isAll) {
    query.set(ALL, '1');
  }
  return (
    <form class="choose-form" method="get">
      <p class="small">
        <a href={`${pathname}?${query}`}>{isAll ? text.chooseNone : text.chooseAll}</a>
      </p>
      {children}
      <div class="buttons">
        {actions.map(({ path, text: label }) => (
          <button type="submit" formaction={path}>
            {label}
          </button>
        ))}
      </div>
    </form>
  );
}

/** The name of an entry that was left as it was, and why. */
type Left = readonly [name: string, outcome: string];

const DONE: readonly string[] = ['done', 'sent', 'discarded'];

/** Where to go after a decision: what was done, or what was left and why. */
export async function decidedQuery(
  { config, actor }: DeskCall,
  done: string,
  content: unknown,
): Promise<URLSearchParams> {
  const left = outcomesIn(content).filter(([, outcome]) => !DONE.includes(outcome));
  return new URLSearchParams(
    left.length === 0
      ? { done }
      : { [LEFT]: await seal(config.backOfficeKeys, JSON.stringify(left), contextOf(actor.name)) },
  );
}

/** Of items a list, of dead letters an object by id. */
function outcomesIn(content: unknown): readonly Left[] {
  const { outcomes } = content as {
    readonly outcomes:
      | readonly {
          readonly id: string;
          readonly uniqueId: string | null;
          readonly outcome: string;
        }[]
      | Readonly<Record<string, string>>;
  };
  return Array.isArray(outcomes)
    ? outcomes.map(({ id, uniqueId, outcome }) => [
        (uniqueId ?? id).slice(0, LEFT_NAME_LENGTH_MAX),
        outcome,
      ])
    : Object.entries(outcomes);
}

/** Only this operator's pages show it: a link of another site could name anything. */
function contextOf(operator: string): string {
  return `desk/left/${operator}`;
}

export async function leftIn({ config, url, actor }: DeskCall): Promise<readonly Left[]> {
  const sealed = url.searchParams.get(LEFT) ?? '';
  const text = await unseal(config.backOfficeKeys, sealed, contextOf(actor.name));
  return text === null ? [] : JSON.parse(text);
}

/** What was left as it was, item by item. */
export function LeftMessage({ left }: { readonly left: readonly Left[] }) {
  const { notDone, refused, leftBecause: reasons } = useTexts(DESK_TEXTS).pages;
  const texts: Readonly<Record<string, string>> = { ...refused, ...lettersOf(notDone), ...reasons };
  return left.length === 0 ? null : (
    <Message tone="bad">
      <p>{notDone.some_left}</p>
      <ul>
        {left.map(([name, outcome]) => (
          <li>
            <bdi>{shownText(name)}</bdi>: {texts[outcome] ?? refused.other}
          </li>
        ))}
      </ul>
    </Message>
  );
}

/** `letter_not_sent` is the text of the outcome `not_sent`. */
function lettersOf(texts: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name.replace('letter_', ''), text]),
  );
}
