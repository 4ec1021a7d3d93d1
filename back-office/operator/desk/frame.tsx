import type { ComponentChildren } from 'preact';
import type { Problem } from '../../../src/http/problem.ts';
import { operatorText } from '../../elements/operator-text.ts';
import { backOfficeLanguageOf, DESK_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { BackOfficePage, Navigation, type PageView } from '../../ui/page.tsx';
import type { DeskCall } from './call.ts';
import { type Item, PATHS } from './paths.ts';

/** The view of a desk page for this request. */
export function deskView(request: Request): PageView {
  return { language: backOfficeLanguageOf(request), url: new URL(request.url) };
}

interface Page {
  readonly active: Item;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A page of the desk, with what waits for the operator beside each link of the navigation. */
export async function answerDesk(call: DeskCall, page: Page): Promise<Response> {
  const { view, actor } = call;
  const text = DESK_TEXTS[view.language].pages;
  const counts: Readonly<Partial<Record<Item, number>>> =
    await call.payments.operations.countAttention();
  const items = Object.keys(PATHS) as Item[];
  const document = (
    <BackOfficePage
      call={view}
      heading={page.title}
      titleParts={[text.product]}
      home={PATHS.attention}
      afterLanguages={
        <p class="quiet small">
          {text.signedInAs}{' '}
          <bdi>{operatorText(view.language, actor.name, actor.isProved === true)}</bdi>
        </p>
      }
      header={
        <Navigation
          class="nav"
          label={text.navigation}
          links={items.map((item) => ({
            href: PATHS[item],
            text: withCount(text.nav[item], counts[item] ?? 0),
            isCurrent: item === page.active,
          }))}
        />
      }
    >
      {page.children}
    </BackOfficePage>
  );
  return answerPage(call, document);
}

/** Counts end at this number. */
const COUNTED_MAX = 100;

function withCount(name: string, count: number): string {
  return count === 0 ? name : `${name} (${count < COUNTED_MAX ? count : `${COUNTED_MAX - 1}+`})`;
}

/** The page of a list that the address asks for. */
export function cursorIn({ url }: PageView): { readonly cursor?: string } {
  const cursor = url.searchParams.get('cursor');
  return cursor === null ? {} : { cursor };
}

/** Links to the next and the first page of a list; nothing for a list of one page. */
export function Pager(props: {
  readonly view: PageView;
  readonly path: string;
  readonly nextCursor: string | null;
}) {
  const { view, path, nextCursor } = props;
  const text = DESK_TEXTS[view.language].pages;
  const isFirst = !view.url.searchParams.has('cursor');
  const next = new URLSearchParams(view.url.search);
  next.set('cursor', nextCursor ?? '');
  next.delete('done');
  return isFirst && nextCursor === null ? null : (
    <nav class="pager" aria-label={text.next}>
      {!isFirst && (
        <a class="button" href={path}>
          {text.first}
        </a>
      )}
      {nextCursor !== null && (
        <a class="button" rel="next" href={`${path}?${next}`}>
          {text.next}
        </a>
      )}
    </nav>
  );
}

/** The page that explains a refusal, without anything from the database. */
export function deskProblem(
  request: Request,
  { status, headers }: Pick<Problem, 'status' | 'headers'>,
): Response {
  const { language, url } = deskView(request);
  const text = DESK_TEXTS[language].pages;
  const known = Object.entries(text.problems).find(([key]) => key === String(status));
  const { title, text: lead } = known?.[1] ?? text.problems.other;
  const page = (
    <BackOfficePage
      // A post's own URL cannot be fetched.
      call={{ language, url: request.method === 'POST' ? new URL(PATHS.attention, url) : url }}
      heading={title}
      titleParts={[text.product]}
      home={PATHS.attention}
      isNarrow
    >
      <p>{lead}</p>
      <p>
        <a class="button" href={PATHS.attention}>
          {text.nav.attention}
        </a>
      </p>
    </BackOfficePage>
  );
  const response = answerPage({ request }, page, { status });
  for (const [name, value] of Object.entries(headers)) {
    response.headers.set(name, value);
  }
  return response;
}
