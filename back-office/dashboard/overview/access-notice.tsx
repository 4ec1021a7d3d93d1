import type { AuditRecord } from '../../../src/control/audit/read.ts';
import { type Cookie, cookieValue, setCookie } from '../../../src/kit/http/cookie.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { type AccessChanges, undismissedAccess } from '../../audit.ts';
import { AuditActor, useActionText } from '../../elements/audit-entry.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Message, When } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DashboardCall, may, useCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { noticePage } from '../notices.tsx';
import { ACCOUNT_PATH, AUDIT_PATH, accessSeenPath, overviewPath } from '../paths.ts';

/**
 * Shows new access to the merchant's data to owners, and to the member who gave it. So a member
 * notices when another person uses their session.
 */

/**
 * The time of the last entry that the member has dismissed in this browser: `MEMBER.MS`. In a cookie,
 * so that the thief of a session cannot dismiss the notice for its member.
 */
const DISMISSED: Cookie = {
  name: 'kefel_access_seen',
  path: '/dashboard',
  sameSite: 'Lax',
  maxAgeSeconds: 31_536_000,
};

const TIME = /^\d{1,15}$/;

/** What the member has not dismissed yet. */
export function undismissedChanges(call: DashboardCall): Promise<AccessChanges> {
  const { memberId, merchantId } = call.session;
  const [member, time = ''] = cookieValue(call.request, DISMISSED)?.split('.') ?? [];
  const dismissedAtMs = member === memberId && TIME.test(time) ? Number(time) : 0;
  const viewer = { memberId, merchantId, seesAll: may(call, 'manage'), dismissedAtMs };
  return undismissedAccess(call, viewer);
}

/** POST …/overview/access-seen */
export async function dismissAccessNotice(call: DashboardCall): Promise<Response> {
  const time = call.form.text('time');
  if (!TIME.test(time)) {
    return noticePage(call, 'bad_form');
  }
  const cookie = setCookie(call.request, DISMISSED, `${call.session.memberId}.${time}`);
  return redirectTo(overviewPath(call.environment), { cookies: [cookie] });
}

export function AccessNotice(props: { readonly changes: AccessChanges }) {
  const call = useCall();
  const { changes } = props;
  const text = useTexts(DASHBOARD_TEXTS).overview.access;
  const { entries, hasMore } = changes;
  const newestAtMs = Math.max(...entries.map(({ atMs }) => atMs));
  return entries.length === 0 ? null : (
    <Message tone="warning">
      <details>
        <summary>
          {text.title} ({String(entries.length)}
          {hasMore && '+'})
        </summary>
        <ul>
          {entries.map((entry) => (
            <li>
              {useActionText(entry.action)}: <bdi>{subjectOf(entry)}</bdi>
              <div class="small">
                <AuditActor entry={entry} />, <When atMs={entry.atMs} />
              </div>
            </li>
          ))}
        </ul>
        {hasMore && <p>{text.more}</p>}
        {may(call, 'manage') && <a href={AUDIT_PATH}>{text.toAuditLog}</a>}
        <p>
          {text.whatToDo} <a href={ACCOUNT_PATH}>{useTexts(DASHBOARD_TEXTS).frame.nav.account}</a>
        </p>
        <ButtonForm
          action={accessSeenPath(call.environment)}
          label={text.dismiss}
          fields={{ time: String(newestAtMs) }}
        />
      </details>
    </Message>
  );
}

/** The name of the passkey, key or member, or the endpoint's server; else what the log names. */
function subjectOf({ detail, target }: AuditRecord): string {
  const { passkey, name, origin } = detail;
  return shownText(String(passkey ?? name ?? origin ?? target ?? ''));
}
