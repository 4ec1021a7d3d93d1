import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { isAllowed } from '../../members/permissions.ts';
import type { DashboardCall } from '../call.ts';
import { webhooksPath } from '../paths.ts';

export type WebhookPart = 'settings' | 'events' | 'resend';

const PATHS: Readonly<Record<WebhookPart, string>> = {
  settings: '',
  events: '/events',
  resend: '/resend',
};

/** The ways between the pages about webhooks. Sending again is for those who may. */
export function Parts(props: { readonly call: DashboardCall; readonly active: WebhookPart }) {
  const { call, active } = props;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const parts: readonly WebhookPart[] = isAllowed(call.session.role, 'develop')
    ? ['settings', 'events', 'resend']
    : ['settings', 'events'];
  return (
    <nav class="parts" aria-label={text.parts}>
      {parts.map((part) => (
        <a
          href={webhooksPath(call.environment, PATHS[part])}
          aria-current={part === active ? 'page' : undefined}
        >
          {text[part]}
        </a>
      ))}
    </nav>
  );
}
