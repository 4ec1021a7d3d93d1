import type { AuditRecord } from '../../../src/control/audit/read.ts';
import { MERCHANT_ID } from '../../../src/control/operator/fields.ts';
import { cursorFrom } from '../../../src/control/operator/page-query.ts';
import type { Page } from '../../../src/kit/platform/paging.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { auditPage } from '../../audit.ts';
import { AuditAct, AuditActor, AuditDetail } from '../../elements/audit-entry.tsx';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Fold, When } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import type { DeskCall } from './call.ts';
import { answerDesk, cursorIn, ListPage } from './frame.tsx';
import { MonthForm } from './month-form.tsx';
import { AUDIT_FILE_PATH, merchantPath, PATHS } from './paths.ts';

/** The merchant that the address names, or null. */
export function merchantIn({ url }: DeskCall): string | null {
  const named = url.searchParams.get('merchant') ?? '';
  return MERCHANT_ID.test(named) ? named : null;
}

/** GET /operator/audit: who did what, over all merchants or for one; newest first. */
export async function showAuditPage(call: DeskCall): Promise<Response> {
  const merchantId = merchantIn(call);
  const page = await auditPage(call, merchantId, {}, cursorFrom(cursorIn(call).cursor));
  return answerDesk(call, <AuditPage merchantId={merchantId} page={page} />);
}

function AuditPage(props: {
  readonly merchantId: string | null;
  readonly page: Page<AuditRecord>;
}) {
  const { rows, nextCursor } = props.page;
  const text = useTexts(DESK_TEXTS).pages;
  const shared = useTexts(DASHBOARD_TEXTS).audit;
  return (
    <ListPage
      active="audit"
      title={text.nav.audit}
      columns={[shared.time, shared.who, shared.what, text.merchant, shared.detail, shared.from]}
      rows={rows.map((entry) => [
        <When atMs={entry.atMs} />,
        <AuditActor entry={entry} />,
        <AuditAct entry={entry} />,
        entry.merchantId === null ? (
          <span class="quiet">—</span>
        ) : (
          <a href={merchantPath(entry.merchantId)}>{entry.merchantId}</a>
        ),
        <AuditDetail entry={entry} />,
        <bdi class="small">{entry.address ?? '—'}</bdi>,
      ])}
      empty={shared.empty}
      nextCursor={nextCursor}
    >
      <form class="filters" method="get" action={PATHS.audit}>
        <TextField
          id="merchant"
          label={text.searchMerchant}
          value={props.merchantId ?? ''}
          required={false}
        />
        <button type="submit">{shared.show}</button>
      </form>
      <Fold summary={text.exportAudit}>
        <MonthForm action={AUDIT_FILE_PATH} hint={text.auditMonthHint} button={text.exportAudit} />
      </Fold>
    </ListPage>
  );
}
