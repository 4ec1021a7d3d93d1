import { CHANGES_PAUSED_RETRY_SECONDS } from '../../src/control/rpc/changes-paused.ts';
import { Problem } from '../../src/kit/http/problem.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import type { DashboardMessages } from '../i18n/messages.ts';
import { DASHBOARD_TEXTS, HOME_TEXTS } from '../i18n/texts.ts';
import { type AnswerOptions, answerPage, redirectTo } from '../ui/answer.ts';
import { ButtonLink } from '../ui/elements.tsx';
import type { DashboardCall, PublicCall } from './call.ts';
import { Frame, PublicFrame, showPage } from './frame.tsx';

type NoticeKind = keyof DashboardMessages['frame']['notices'];

const STATUS: Readonly<Record<NoticeKind, number>> = {
  not_found: 404,
  not_allowed: 403,
  suspended: 403,
  paused: 503,
  maintenance: 503,
  bad_form: 403,
  too_large: 413,
  signed_out: 401,
  busy: 429,
  export_running: 429,
  error: 500,
};

/**
 * A page that says what was rejected, and why. A member at an address without a page keeps the
 * navigation.
 */
export function noticePage(
  call: Pick<PublicCall, 'request'> | DashboardCall,
  kind: NoticeKind,
  options: AnswerOptions = {},
): Response {
  const { request } = call;
  if (kind === 'not_found' && 'session' in call) {
    return showPage(call, <MissingPage />, { at: '/dashboard', status: STATUS.not_found });
  }
  // The language switch cannot fetch the path of a post.
  const isPage = request.method !== 'POST' && kind !== 'not_found';
  const url = new URL(isPage ? request.url : '/dashboard', request.url);
  return answerPage({ request, url }, <Notice kind={kind} />, { status: STATUS[kind], ...options });
}

/** The member's role does not allow what was asked. The router logs it and shows the notice. */
export function notAllowed(): Problem {
  return new Problem('not_allowed', 403, 'The role does not allow this', {});
}

/** The operator pauses all changes by members. */
export function pausedNotice(call: Parameters<typeof noticePage>[0]): Response {
  return noticePage(call, 'paused', { retryAfterSeconds: CHANGES_PAUSED_RETRY_SECONDS });
}

/** Why a member may only read. */
export function readOnlyNotice(call: DashboardCall): Response {
  return call.session.isSuspended ? noticePage(call, 'suspended') : pausedNotice(call);
}

function MissingPage() {
  const { title, text } = useTexts(DASHBOARD_TEXTS).frame.notices.not_found;
  return (
    <Frame title={title} active={null}>
      <p>{text}</p>
    </Frame>
  );
}

function Notice({ kind }: { readonly kind: NoticeKind }) {
  const text = useTexts(DASHBOARD_TEXTS).frame;
  const home = useTexts(HOME_TEXTS);
  const { title, text: lead } = text.notices[kind];
  return (
    <PublicFrame title={title}>
      <p>{lead}</p>
      <p class="buttons">
        <a class="button" href={kind === 'signed_out' ? '/dashboard/sign-in' : '/dashboard'}>
          {kind === 'signed_out' ? text.signIn : kind === 'not_found' ? home.dashboard : text.back}
        </a>
        {kind === 'not_found' && (
          <>
            <ButtonLink to="/docs/">{home.docs}</ButtonLink>
            <ButtonLink to="/">{home.home}</ButtonLink>
          </>
        )}
      </p>
    </PublicFrame>
  );
}

/** Without a session: a page redirects to the sign-in, a form changes nothing. */
export function signInFirst(call: PublicCall): Response {
  if (call.request.method === 'POST') {
    return noticePage(call, 'signed_out');
  }
  const next = encodeURIComponent(`${call.url.pathname}${call.url.search}`);
  return redirectTo(`/dashboard/sign-in?next=${next}`);
}
