import type { ComponentChildren } from 'preact';
import type { Problem } from '../../http/problem.ts';
import { backOfficeLanguageOf, DESK_TEXTS } from '../../i18n/back-office.ts';
import type { DeskMessages } from '../../i18n/messages.ts';
import { answerPage } from '../../ui/answer.ts';
import { BackOfficePage, Navigation, type PageView } from '../../ui/back-office.tsx';
import { Table } from '../../ui/elements.tsx';
import type { OperatorCall } from '../call.ts';

type Item = keyof DeskMessages['pages']['nav'];

const PATHS: Readonly<Record<Item, string>> = {
  health: '/operator',
  attention: '/operator/attention',
  merchants: '/operator/merchants',
};

/** The view of a desk page for this request. */
export function deskView(request: Request): PageView {
  return { language: backOfficeLanguageOf(request), url: new URL(request.url) };
}

/** A page of the desk. `active` is null on error pages. */
export function DeskFrame(props: {
  readonly view: PageView;
  readonly title: string;
  readonly active: Item | null;
  readonly children: ComponentChildren;
}) {
  const { view, title, active, children } = props;
  const text = DESK_TEXTS[view.language].pages;
  return (
    <BackOfficePage
      call={view}
      heading={title}
      titleParts={[text.product]}
      home="/operator"
      header={
        active !== null && (
          <Navigation
            class="nav"
            label={text.navigation}
            links={(Object.keys(PATHS) as Item[]).map((item) => ({
              href: PATHS[item],
              text: text.nav[item],
              isCurrent: item === active,
            }))}
          />
        )
      }
    >
      {children}
      {active !== null && <p class="hint">{text.readOnly}</p>}
    </BackOfficePage>
  );
}

/** A page of a list, with links to the next and the first page. */
export function answerList(
  call: OperatorCall,
  active: 'attention' | 'merchants',
  list: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly ComponentChildren[])[];
    readonly empty: string;
    readonly nextCursor: string | null;
  },
): Response {
  const view = deskView(call.request);
  const text = DESK_TEXTS[view.language].pages;
  const title = text.nav[active];
  const path = PATHS[active];
  const { columns, rows, empty, nextCursor } = list;
  const isFirst = !view.url.searchParams.has('cursor');
  const page = (
    <DeskFrame view={view} title={title} active={active}>
      <Table caption={title} columns={columns} rows={rows} empty={empty} />
      {(!isFirst || nextCursor !== null) && (
        <nav class="pager" aria-label={text.next}>
          {!isFirst && (
            <a class="button" href={path}>
              {text.first}
            </a>
          )}
          {nextCursor !== null && (
            <a class="button" rel="next" href={`${path}?cursor=${encodeURIComponent(nextCursor)}`}>
              {text.next}
            </a>
          )}
        </nav>
      )}
    </DeskFrame>
  );
  return answerPage(call, page);
}

/** The error page of a problem. */
export function deskProblem(request: Request, problem: Problem): Response {
  const view = deskView(request);
  const { problems } = DESK_TEXTS[view.language].pages;
  const known = Object.entries(problems).find(([status]) => status === String(problem.status));
  const { title, text } = known?.[1] ?? problems.other;
  const page = (
    <DeskFrame view={view} title={title} active={null}>
      <p>{text}</p>
    </DeskFrame>
  );
  const response = answerPage({ request }, page, { status: problem.status });
  for (const [name, value] of Object.entries(problem.headers)) {
    response.headers.set(name, value);
  }
  return response;
}
