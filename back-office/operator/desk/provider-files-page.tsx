import type { ItemPage } from '../../../src/control/operator/page-query.ts';
import type { ProviderFile } from '../../../src/control/rpc/operator.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import {
  Badge,
  type BadgeTone,
  ButtonLink,
  DoneMessage,
  Untrusted,
  When,
} from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, cursorIn, ListPage } from './frame.tsx';
import { PATHS, providerLinesPath, providerPath } from './paths.ts';

const FILES_SHOWN = '20';

/** How often the page asks while a file is worked. */
const REFRESH_SECONDS = 2;

const TONES: Readonly<Record<ProviderFile['status'], BadgeTone>> = {
  uploading: 'plain',
  reading: 'wait',
  matching: 'wait',
  comparing: 'wait',
  done: 'good',
  refused: 'bad',
};

/** GET …/:environment/:method: the files of a method, and how far each is compared. */
export async function showFilesPage(call: DeskCall): Promise<Response> {
  const query = { ...cursorIn(call), limit: FILES_SHOWN };
  const page = await call.payments.operator.providerFiles(call.params, query);
  return answerDesk(call, <FilesPage {...page} />);
}

/** The path of the page's method, and its name. */
export function useMethod() {
  const { environment = '', method = '' } = useDesk().params;
  const names: Readonly<Record<string, string>> = useTexts(CHECKOUT_TEXTS).methodName;
  const text = useTexts(DESK_TEXTS).pages;
  const where = environment === 'sandbox' ? ` · ${text.environment.sandbox}` : '';
  return {
    ...{ environment, method, path: providerPath(environment, method) },
    name: `${names[method] ?? method}${where}`,
  };
}

function FilesPage({ items, nextCursor }: ItemPage<ProviderFile>) {
  const text = useTexts(DESK_TEXTS).pages;
  const own = text.providerUpload;
  const { environment, method, path, name } = useMethod();
  const isWorked = items.some(({ status }) => TONES[status] === 'wait');
  const states = items.map(({ status, linesDone }) => `${status} ${linesDone}`);
  return (
    <ListPage
      active="providerFiles"
      title={name}
      refreshSeconds={isWorked ? REFRESH_SECONDS : undefined}
      head={{
        back: {
          to: `${PATHS.providerFiles}?environment=${environment}`,
          text: text.nav.providerFiles,
        },
        lead: own.lead,
        actions: (
          <>
            <a class="button primary" href={`${path}/upload`}>
              {own.upload}
            </a>
            <ButtonLink to={providerLinesPath(environment, method, {})}>{own.lines}</ButtonLink>
            <ButtonLink to={`${path}/profiles`}>{own.profiles}</ButtonLink>
          </>
        ),
      }}
      columns={[own.file, text.state, own.compared, own.days, text.when]}
      rows={items.map((file) => [
        <span>
          <Untrusted text={file.name} />
          <br />
          <span class="quiet small">
            <Untrusted text={file.profile} /> · <Untrusted text={file.operator} />
          </span>
        </span>,
        <State file={file} />,
        <LinesDone file={file} />,
        file.fromDay === null ? null : [...new Set([file.fromDay, file.toDay])].join(' – '),
        <When atMs={file.begunAtMs} />,
      ])}
      empty={own.empty}
      nextCursor={nextCursor}
    >
      <DoneMessage texts={own.done} />
      {isWorked && <div hidden data-live={states.join()} />}
    </ListPage>
  );
}

function State({ file }: { readonly file: ProviderFile }) {
  const own = useTexts(DESK_TEXTS).pages.providerUpload;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const { status, problem, unanswered, failures } = file;
  const hints = [
    status === 'uploading' ? own.uploadingHint : null,
    problem === null ? null : `${useProblemText(problem)} ${own.refusedHint}`,
    unanswered === 0 ? null : own.unanswered(countText(unanswered, locale)),
    failures === 0 ? null : own.failures(countText(failures, locale)),
  ];
  return (
    <span>
      <Badge tone={TONES[status]}>{own.states[status]}</Badge>
      {hints.map(
        (hint) =>
          hint !== null && (
            <span class="small">
              <br />
              {hint}
            </span>
          ),
      )}
    </span>
  );
}

function LinesDone({ file }: { readonly file: ProviderFile }) {
  const own = useTexts(DESK_TEXTS).pages.providerUpload;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const { lines, linesDone } = file;
  const done = countText(linesDone, locale);
  if (file.status === 'uploading') {
    return null;
  }
  return <>{lines === null ? done : own.linesDone(done, countText(lines, locale))}</>;
}

/** Where the file is wrong, and why. What the file has is shown as it is. */
export function useProblemText(problem: NonNullable<ProviderFile['problem']>): string {
  const own = useTexts(DESK_TEXTS).pages.providerUpload;
  const { code, line, column, found } = problem;
  const reason = own.problems[code].replace('{found}', () => shownText(found));
  return `${own.place(line, column)}: ${reason}.`;
}
