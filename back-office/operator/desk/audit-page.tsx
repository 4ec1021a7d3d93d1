import { MERCHANT_ID } from '../../../src/operations/fields.ts';
import { cursorFrom } from '../../../src/operations/page-query.ts';
import { auditPage } from '../../audit.ts';
import { AuditAct, AuditActor, AuditDetail } from '../../elements/audit-entry.tsx';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Table, TextField, When } from '../../ui/elements.tsx';
import type { DeskCall } from './call.ts';
import { answerDesk, Pager } from './frame.tsx';
import { merchantPath, PATHS } from './paths.ts';

/** GET /operator/audit: who did what, over all merchants or for one; newest first. */
export async function showAuditPage(call: DeskCall): Promise<Response> {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const shared = DASHBOARD_TEXTS[view.language].audit;
  const query = view.url.searchParams;
  const given = query.get('merchant') ?? '';
  const merchantId = MERCHANT_ID.test(given) ? given : null;
  const cursor = cursorFrom(query.get('cursor') ?? undefined);
  const { rows, nextCursor } = await auditPage(call, merchantId, {}, cursor);
  const children = (
    <>
      <form class="filters" method="get" action={PATHS.audit}>
        <TextField
          id="merchant"
          label={text.searchMerchant}
          value={merchantId ?? ''}
          required={false}
        />
        <button type="submit">{shared.show}</button>
      </form>
      <Table
        caption={text.nav.audit}
        columns={[shared.time, shared.who, shared.what, text.merchant, shared.detail, shared.from]}
        rows={rows.map((entry) => [
          <When call={view} atMs={entry.atMs} />,
          <AuditActor call={view} entry={entry} />,
          <AuditAct call={view} entry={entry} />,
          entry.merchantId === null ? (
            <span class="quiet">—</span>
          ) : (
            <a href={merchantPath(entry.merchantId)}>{entry.merchantId}</a>
          ),
          <AuditDetail call={view} entry={entry} />,
          <span class="small whole">{entry.address ?? '—'}</span>,
        ])}
        empty={shared.empty}
      />
      <Pager view={view} path={PATHS.audit} nextCursor={nextCursor} />
    </>
  );
  return answerDesk(call, { active: 'audit', title: text.nav.audit, children });
}
