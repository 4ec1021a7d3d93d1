import type { CheckoutMessages } from '../../i18n/messages.ts';

const MINUTE_MS = 60_000;

/**
 * Time that runs out. Without JavaScript it stays the words in `children`; the script counts down
 * what the server says is left, so the device's own clock does not matter, and tells a screen reader
 * twice: often enough to act, too seldom to disturb.
 */
export function Countdown(props: {
  readonly text: CheckoutMessages;
  readonly remainingMs: number;
  /** The words round the clock, from the clock. */
  readonly words: (time: string) => string;
  readonly children: string;
}) {
  const { text, remainingMs } = props;
  const announcements = [
    [5 * MINUTE_MS, text.fiveMinutesLeft],
    [MINUTE_MS, text.oneMinuteLeft],
  ];
  return (
    <p
      class="countdown"
      data-countdown
      data-remaining-ms={String(remainingMs)}
      data-template={props.words('{time}')}
      data-announce={JSON.stringify(announcements)}
    >
      {props.children}
    </p>
  );
}
