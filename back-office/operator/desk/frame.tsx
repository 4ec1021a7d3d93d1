import type { ComponentChildren, VNode } from 'preact';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useOperatorText } from '../../elements/operator-text.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { ButtonLink, DoneMessage, Table, type TableColumn } from '../../ui/elements.tsx';
import type { PageHead } from '../../ui/layout.tsx';
import { BackOfficePage, Navigation, usePageUrl } from '../../ui/page.tsx';
import { CurrentDesk, type DeskCall, type DeskPage, useDesk } from './call.ts';
import { formToken } from './form-token.ts';
import { ModeBanners } from './modes.tsx';
import { type Item, PATHS, SIGN_OUT_PATH } from './paths.ts';

type DeskHeader = Pick<DeskPage, 'counts' | 'modes'>;

/** What the top of every page shows. */
export async function readHeader({ payments }: DeskCall): Promise<DeskHeader> {
  const { countAttention, readModes } = payments.operator;
  const [counts, modes] = await Promise.all([countAttention(), readModes()]);
  return { counts, modes };
}

/** For pages that say what is wrong with the gateway: they must show when this cannot be read. */
export const NO_HEADER: DeskHeader = {
  counts: { attention: 0, deadLetters: 0, rails: 0 },
  modes: { maintenance: null, membersReadOnly: null },
};

/** A page of the desk. */
export async function answerDesk(
  call: DeskCall,
  page: VNode,
  header: Promise<DeskHeader> = readHeader(call),
): Promise<Response> {
  const [known, token] = await Promise.all([header, formToken(call)]);
  const desk = { ...call, ...known, token };
  return answerPage(call, <CurrentDesk.Provider value={desk}>{page}</CurrentDesk.Provider>);
}

interface FrameProps {
  readonly active: Item;
  readonly title: string;
  /** What the page begins with, besides its title. */
  readonly head?: PageHead | undefined;
  readonly refreshSeconds?: number | undefined;
  readonly children: ComponentChildren;
}

/** What surrounds each page: the navigation, with what waits for the operator beside each link. */
export function Frame({ active, title, head, refreshSeconds, children }: FrameProps) {
  const { actor, counts, token } = useDesk();
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <BackOfficePage
      heading={title}
      titleParts={[text.product]}
      home={PATHS.attention}
      head={head}
      refreshSeconds={refreshSeconds}
      footer={
        <form class="inline" method="post" action={SIGN_OUT_PATH}>
          <input type="hidden" name="csrf" value={token} />
          {text.signedInAs} <bdi>{useOperatorText(actor.name, actor.isProved === true)}</bdi>{' '}
          <button type="submit" class="quiet">
            {text.signOut}
          </button>
        </form>
      }
      header={
        <>
          <DeskNavigation active={active} counts={counts} />
          <ModeBanners />
        </>
      }
    >
      <DoneMessage texts={text.done} />
      <DoneMessage texts={text.notDone} tone="bad" />
      {children}
    </BackOfficePage>
  );
}

/** Links to the parts of the desk. A refusal knows no counts. */
export function DeskNavigation(props: {
  readonly active: Item | null;
  readonly counts: Readonly<Partial<Record<Item, number>>>;
}) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Navigation
      class="nav"
      label={text.navigation}
      links={(Object.keys(PATHS) as Item[]).map((item) => ({
        href: PATHS[item],
        text: withCount(text.nav[item], props.counts[item] ?? 0),
        isCurrent: item === props.active,
      }))}
    />
  );
}

/** Counts end at this number. */
const COUNTED_MAX = 100;

function withCount(name: string, count: number): string {
  return count === 0 ? name : `${name} (${count < COUNTED_MAX ? count : `${COUNTED_MAX - 1}+`})`;
}

/** The page of a list that the address asks for. */
export function cursorIn({ url }: DeskCall): { readonly cursor?: string } {
  const cursor = url.searchParams.get('cursor');
  return cursor === null ? {} : { cursor };
}

/** A page of a list, with links to the next and the first page. */
export function ListPage(props: {
  readonly active: Item;
  readonly title: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  readonly empty: string;
  readonly nextCursor: string | null;
  readonly head?: PageHead;
  readonly refreshSeconds?: number | undefined;
  /** The class that says where a phone shows each column. */
  readonly listClass?: string;
  /** What surrounds the list, such as a form. */
  readonly around?: (list: VNode) => ComponentChildren;
  /** Above the list. */
  readonly children?: ComponentChildren;
}) {
  const { active, title, nextCursor, head, refreshSeconds, listClass, around, children, ...table } =
    props;
  const list = (
    <div class={listClass}>
      <Table caption={title} {...table} />
    </div>
  );
  return (
    <Frame active={active} title={title} head={head} refreshSeconds={refreshSeconds}>
      {children}
      {around === undefined ? list : around(list)}
      <Pager nextCursor={nextCursor} />
    </Frame>
  );
}

/** Nothing for a list of one page. */
function Pager({ nextCursor }: { readonly nextCursor: string | null }) {
  const text = useTexts(DESK_TEXTS).pages;
  const { pathname, search, searchParams } = usePageUrl();
  const isFirst = !searchParams.has('cursor');
  const first = new URLSearchParams(search);
  for (const name of ['cursor', 'done', 'left']) {
    first.delete(name);
  }
  const next = new URLSearchParams(first);
  next.set('cursor', nextCursor ?? '');
  return isFirst && nextCursor === null ? null : (
    <nav class="pager" aria-label={text.next}>
      {!isFirst && (
        <ButtonLink to={first.size === 0 ? pathname : `${pathname}?${first}`}>
          {text.first}
        </ButtonLink>
      )}
      {nextCursor !== null && (
        <a class="button" rel="next" href={`${pathname}?${next}`}>
          {text.next}
        </a>
      )}
    </nav>
  );
}
