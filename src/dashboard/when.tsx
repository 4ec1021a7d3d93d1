import { CHECKOUT_TEXTS } from '../i18n/back-office.ts';
import { exactTimeText, timeText } from '../i18n/time-text.ts';
import type { PublicCall } from './call.ts';
import { Moment } from '../ui/elements.tsx';

/** A moment in the member's language, on the clock of Addis Ababa. */
export function When(props: {
  readonly call: Pick<PublicCall, 'language'>;
  readonly atMs: number;
}) {
  return (
    <Moment atMs={props.atMs}>{timeText(props.atMs, CHECKOUT_TEXTS[props.call.language])}</Moment>
  );
}

/** The same to the second, for what happens faster than minutes tell. */
export function WhenExactly(props: {
  readonly call: Pick<PublicCall, 'language'>;
  readonly atMs: number;
}) {
  const text = CHECKOUT_TEXTS[props.call.language];
  return <Moment atMs={props.atMs}>{exactTimeText(props.atMs, text)}</Moment>;
}
