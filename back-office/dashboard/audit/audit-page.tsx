import type { AuditRecord } from '../../../src/control/audit/read.ts';
import type { Page } from '../../../src/kit/platform/paging.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { auditPage } from '../../audit.ts';
import { AuditAct, AuditActor, AuditDetail } from '../../elements/audit-entry.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { formerAndPresentMembers } from '../../members/members.ts';
import { When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { Frame, showPage } from '../frame.tsx';
import {
  BadCursor,
  type FilterField,
  FilterForm,
  List,
  type ListRequest,
  listRequest,
} from '../list.tsx';
import { AUDIT_PATH, queryFrom } from '../paths.ts';
import {
  AUDIT_GROUPS,
  type AuditChoices,
  choicesIn,
  filterFor,
  OPERATOR_CHOICE,
} from './filter.ts';

/** GET /dashboard/audit: who did what, when, from where; newest first. */
export async function showAuditLog(call: DashboardCall): Promise<Response> {
  const { merchantId } = call.session;
  const choices = choicesIn(call.url.searchParams);
  const request = listRequest(call);
  const [page, actors] = await Promise.all([
    auditPage(call, merchantId, filterFor(choices), request.cursor),
    formerAndPresentMembers(call.env.BACK_OFFICE_DB, merchantId),
  ]);
  const { status } = request;
  return showPage(call, <AuditPage {...{ choices, request, page, actors }} />, { status });
}

interface Props {
  readonly choices: AuditChoices;
  readonly request: ListRequest;
  readonly page: Page<AuditRecord>;
  readonly actors: readonly { readonly id: string; readonly name: string }[];
}

function AuditPage({ choices, request, page, actors }: Props) {
  const text = useTexts(DASHBOARD_TEXTS).audit;
  const pathTo = (cursor: string) => `${AUDIT_PATH}?${queryFrom({ ...choices, cursor })}`;
  return (
    <Frame title={text.title} active="audit">
      <p>{text.lead}</p>
      <BadCursor request={request} />
      <FilterForm action={AUDIT_PATH} fields={fieldsFor(choices, actors)}>
        <button type="submit">{text.show}</button>
      </FilterForm>
      <List
        title={text.title}
        rows={page.rows}
        empty={text.empty}
        pages={{ page, pathTo }}
        columns={[
          [text.time, ({ atMs }) => <When atMs={atMs} />],
          [text.who, (entry) => <AuditActor entry={entry} />],
          [text.what, (entry) => <AuditAct entry={entry} />],
          [text.detail, (entry) => <AuditDetail entry={entry} />],
          [
            text.from,
            // Merchants must not see the operator's IP address.
            ({ actorKind, address }) => (
              <bdi class="small">{(actorKind !== 'operator' && address) || '—'}</bdi>
            ),
          ],
        ]}
      />
    </Frame>
  );
}

function fieldsFor(choices: AuditChoices, actors: Props['actors']): readonly FilterField[] {
  const text = useTexts(DASHBOARD_TEXTS).audit;
  const groups = AUDIT_GROUPS.map((group) => [group, text.groups[group]] as const);
  const people = actors.map(({ id, name }) => [id, name] as const);
  return [
    { name: 'group', label: text.group, value: choices.group, input: [['', text.all], ...groups] },
    {
      name: 'who',
      label: text.who,
      value: choices.who,
      input: [['', text.everyone], [OPERATOR_CHOICE, text.operator], ...people],
    },
  ];
}
