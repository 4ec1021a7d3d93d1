import { useText } from '../texts.ts';

const MINUTE_MS = 60_000;

/**
 * A countdown. Without JavaScript it stays the text in `children`. The script counts down the
 * server's remaining time, so the device's own clock does not matter. A screen reader hears it only
 * twice, so that it does not disturb.
 */
export function Countdown(props: {
  readonly remainingMs: number;
  /** The text around the clock. */
  readonly words: (time: string) => string;
  readonly children: string;
}) {
  const { remainingMs } = props;
  const text = useText();
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
