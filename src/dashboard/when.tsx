import { CHECKOUT_TEXTS } from '../i18n/back-office.ts';
import { timeText } from '../i18n/time-text.ts';
import type { PublicCall } from './call.ts';
import { Moment } from './elements.tsx';

/** A moment in the member's language, on the clock of Addis Ababa. */
export function When(props: {
  readonly call: Pick<PublicCall, 'language'>;
  readonly atMs: number;
}) {
  return (
    <Moment atMs={props.atMs}>{timeText(props.atMs, CHECKOUT_TEXTS[props.call.language])}</Moment>
  );
}
