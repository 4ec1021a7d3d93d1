import type { AuditRecord } from '../../../src/audit/read.ts';
import { type Page, parseCursor } from '../../../src/paging.ts';
import { auditPage } from '../../audit.ts';
import { AuditAct, AuditActor, AuditDetail } from '../../elements/audit-entry.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { formerAndPresentMembers } from '../../members/members.ts';
import { answerPage } from '../../ui/answer.ts';
import { Pager, SelectField, Table, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { Frame } from '../frame.tsx';
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
  const query = call.url.searchParams;
  const choices = choicesIn(query);
  const [page, actors] = await Promise.all([
    auditPage(call, merchantId, filterFor(choices), parseCursor(query.get('cursor') ?? '')),
    formerAndPresentMembers(call.env.BACK_OFFICE_DB, merchantId),
  ]);
  return answerPage(call, <AuditLog call={call} page={page} actors={actors} choices={choices} />);
}

interface AuditLogProps {
  readonly call: DashboardCall;
  readonly page: Page<AuditRecord>;
  readonly actors: readonly { readonly id: string; readonly name: string }[];
  readonly choices: AuditChoices;
}

function AuditLog({ call, page, actors, choices }: AuditLogProps) {
  const text = DASHBOARD_TEXTS[call.language].audit;
  return (
    <Frame call={call} title={text.title} active="audit">
      <p>{text.lead}</p>
      <FilterForm call={call} actors={actors} choices={choices} />
      <Table
        caption={text.title}
        columns={[text.time, text.who, text.what, text.detail, text.from]}
        rows={page.rows.map((entry) => entryCells(call, entry))}
        empty={text.empty}
      />
      <Pager
        call={call}
        page={page}
        pathTo={(cursor) => `${AUDIT_PATH}?${queryFrom({ ...choices, cursor })}`}
      />
    </Frame>
  );
}

function FilterForm({ call, actors, choices }: Omit<AuditLogProps, 'page'>) {
  const text = DASHBOARD_TEXTS[call.language].audit;
  return (
    <form class="filters" method="get" action={AUDIT_PATH}>
      <SelectField
        id="group"
        label={text.group}
        options={[
          ['', text.all],
          ...AUDIT_GROUPS.map((group) => [group, text.groups[group]] as const),
        ]}
        selected={choices.group}
      />
      <SelectField
        id="who"
        label={text.who}
        options={[
          ['', text.everyone],
          [OPERATOR_CHOICE, text.operator],
          ...actors.map(({ id, name }) => [id, name] as const),
        ]}
        selected={choices.who}
      />
      <button type="submit">{text.show}</button>
    </form>
  );
}

function entryCells(call: DashboardCall, entry: AuditRecord) {
  return [
    <When call={call} atMs={entry.atMs} />,
    <AuditActor call={call} entry={entry} />,
    <AuditAct call={call} entry={entry} />,
    <AuditDetail call={call} entry={entry} />,
    // Merchants must not see the operator's IP address.
    <span class="small whole">{(entry.actorKind !== 'operator' && entry.address) || '—'}</span>,
  ];
}
