import type { ComponentChildren } from 'preact';
import { endpointOrigin } from '../../../src/engine/webhooks/endpoints.ts';
import { SIGNATURE_HEADER_CHARACTERS_MAX } from '../../../src/engine/webhooks/signature-header.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { TextField } from '../../ui/fields.tsx';
import { Navigation } from '../../ui/page.tsx';
import { may, useCall } from '../call.ts';
import { Frame, type FrameProps } from '../frame.tsx';
import { webhooksPath } from '../paths.ts';

/** The pages about webhooks, with their paths. */
const TABS = { settings: '', events: '/events', resend: '/resend' } as const;

/** The two days in a form's query. */
export const DAY_NAMES = { from: 'from', to: 'to' } as const;

type Tab = keyof typeof TABS;

/** A page about webhooks, with links to the others. Only developers may resend. */
export function WebhooksFrame(props: {
  readonly title: string;
  readonly active: Tab;
  readonly done?: FrameProps['done'];
  readonly notDone?: FrameProps['notDone'];
  readonly children: ComponentChildren;
}) {
  const call = useCall();
  const { active, children, ...frame } = props;
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const tabs = Object.keys(TABS) as readonly Tab[];
  const shown = may(call, 'develop') ? tabs : tabs.filter((tab) => tab !== 'resend');
  return (
    <Frame {...frame} active="webhooks">
      <Navigation
        class="parts"
        label={text.parts}
        links={shown.map((tab) => ({
          href: webhooksPath(call.environment, TABS[tab]),
          text: text[tab],
          isCurrent: tab === active,
        }))}
      />
      {children}
    </Frame>
  );
}

/** Developers see the whole address, others its origin: the rest may hold a secret of the merchant's. */
export function shownAddress(url: string): string {
  const call = useCall();
  return may(call, 'develop') ? url : (endpointOrigin(url) ?? '');
}

/** What forms have changed. It takes some seconds to reach all of the gateway. */
export function useDoneTexts(): Readonly<Record<string, string>> {
  const { done, lag } = useTexts(DASHBOARD_TEXTS).webhooks;
  return Object.fromEntries(Object.entries(done).map(([name, text]) => [name, `${text} ${lag}`]));
}

/** The field for the name of an extra signature header; empty: none. */
export function SignatureHeaderField({ value }: { readonly value: string }) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <TextField
      id="signatureHeader"
      label={text.signatureHeader}
      hint={text.signatureHeaderHint}
      value={value}
      maxlength={SIGNATURE_HEADER_CHARACTERS_MAX}
      required={false}
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
