import type { ComponentChildren } from 'preact';
import { endpointOrigin } from '../../../src/webhooks/endpoints.ts';
import {
  SIGNATURE_HEADER_CHARACTERS_MAX,
  type SignatureHeaderProblem,
} from '../../../src/webhooks/signature-header.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { TextField } from '../../ui/elements.tsx';
import { Navigation } from '../../ui/page.tsx';
import { type DashboardCall, may } from '../call.ts';
import { Frame } from '../frame.tsx';
import { webhooksPath } from '../paths.ts';

/** The pages about webhooks, with their paths. */
const TABS = { settings: '', events: '/events', resend: '/resend' } as const;

/** The two days in a form's query. */
export const DAY_NAMES = ['from', 'to'] as const;

type Tab = keyof typeof TABS;

/** A page about webhooks, with links to the others. Only developers may resend. */
export function WebhooksFrame(props: {
  readonly call: DashboardCall;
  readonly title: string;
  readonly active: Tab;
  readonly children: ComponentChildren;
}) {
  const { call, title, active } = props;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const tabs = Object.keys(TABS) as readonly Tab[];
  const shown = may(call, 'develop') ? tabs : tabs.filter((tab) => tab !== 'resend');
  return (
    <Frame call={call} title={title} active="webhooks">
      <Navigation
        class="parts"
        label={text.parts}
        links={shown.map((tab) => ({
          href: webhooksPath(call.environment, TABS[tab]),
          text: text[tab],
          isCurrent: tab === active,
        }))}
      />
      {props.children}
    </Frame>
  );
}

/** Developers see the whole address, others its origin: the rest may hold a secret of the merchant's. */
export function shownAddress(call: DashboardCall, url: string): string {
  return may(call, 'develop') ? url : (endpointOrigin(url) ?? '');
}

/** The field for the name of an extra signature header; empty: none. */
export function SignatureHeaderField(props: {
  readonly call: DashboardCall;
  readonly value: string;
  readonly problem: SignatureHeaderProblem | null;
}) {
  const { call, value, problem } = props;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <TextField
      id="signatureHeader"
      label={text.signatureHeader}
      hint={text.signatureHeaderHint}
      value={value}
      maxlength={SIGNATURE_HEADER_CHARACTERS_MAX}
      required={false}
      error={problem === null ? null : text.signatureHeaderProblem[problem]}
    />
  );
}

/** The result of a try: the HTTP status, or why there was none. */
export function Outcome(props: {
  readonly httpStatus: number | null;
  readonly error: string | null;
}) {
  const { httpStatus, error } = props;
  return <code lang="en">{error ?? `HTTP ${httpStatus}`}</code>;
}
