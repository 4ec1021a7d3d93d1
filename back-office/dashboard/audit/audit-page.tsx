import type { AuditRecord } from '../../../src/audit/read.ts';
import { auditPage } from '../../audit.ts';
import { AuditAct, AuditActor, AuditDetail } from '../../elements/audit-entry.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { formerAndPresentMembers } from '../../members/members.ts';
import { answerPage } from '../../ui/answer.ts';
import { When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { Frame } from '../frame.tsx';
import { BadCursor, type FilterField, FilterForm, List, listRequest } from '../list.tsx';
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
  const text = DASHBOARD_TEXTS[call.language].audit;
  const choices = choicesIn(call.url.searchParams);
  const request = listRequest(call);
  const [page, actors] = await Promise.all([
    auditPage(call, merchantId, filterFor(choices), request.cursor),
    formerAndPresentMembers(call.env.BACK_OFFICE_DB, merchantId),
  ]);
  return answerPage(
    call,
    <Frame call={call} title={text.title} active="audit">
      <p>{text.lead}</p>
      <BadCursor call={call} request={request} />
      <FilterForm call={call} action={AUDIT_PATH} fields={fieldsFor(call, choices, actors)}>
        <button type="submit">{text.show}</button>
      </FilterForm>
      <List
        call={call}
        title={text.title}
        columns={[text.time, text.who, text.what, text.detail, text.from]}
        cells={(entry) => cellsOf(call, entry)}
        page={page}
        empty={text.empty}
        pathTo={(cursor) => `${AUDIT_PATH}?${queryFrom({ ...choices, cursor })}`}
      />
    </Frame>,
    { status: request.status },
  );
}

function fieldsFor(
  { language }: DashboardCall,
  choices: AuditChoices,
  actors: readonly { readonly id: string; readonly name: string }[],
): readonly FilterField[] {
  const text = DASHBOARD_TEXTS[language].audit;
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

function cellsOf(call: DashboardCall, entry: AuditRecord) {
  return [
    <When call={call} atMs={entry.atMs} />,
    <AuditActor call={call} entry={entry} />,
    <AuditAct call={call} entry={entry} />,
    <AuditDetail call={call} entry={entry} />,
    // Merchants must not see the operator's IP address.
    <span class="small whole">{(entry.actorKind !== 'operator' && entry.address) || '—'}</span>,
  ];
}
