import type { IntentStatus } from '../../domain/intent.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { exactTimeText } from '../../i18n/time-text.ts';
import { Badge, type BadgeTone, Moment } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { DashboardCall } from '../call.ts';

type Call = Pick<DashboardCall, 'language'>;

const TONES: Readonly<Record<IntentStatus, BadgeTone>> = {
  open: 'plain',
  processing: 'wait',
  succeeded: 'good',
  failed: 'bad',
  expired: 'plain',
  canceled: 'plain',
};

export function StatusBadge(props: { readonly call: Call; readonly status: IntentStatus }) {
  return (
    <Badge tone={TONES[props.status]}>
      {DASHBOARD_TEXTS[props.call.language].statuses[props.status]}
    </Badge>
  );
}

/** The same to the second: attempts and tries follow each other fast. */
export function WhenExactly(props: { readonly call: Call; readonly atMs: number }) {
  const text = CHECKOUT_TEXTS[props.call.language];
  return <Moment atMs={props.atMs}>{exactTimeText(props.atMs, text)}</Moment>;
}

/** What somebody else wrote: it shows what it is, and turns no text round it about. */
export function Untrusted({ text }: { readonly text: string }) {
  return <bdi>{shownText(text)}</bdi>;
}
