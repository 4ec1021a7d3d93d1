import { log } from '../log.ts';

/** What a rail said, where an operator has to know it: no outcome, a refusal, a failure. */
export interface RailLogEntry {
  readonly rail: string;
  /** What was asked, or `callback`. */
  readonly call: string;
  /** By which the rail knows the order. */
  readonly reference: string;
  /** Of HTTP, where it tells something. */
  readonly status?: number;
  /** The code or state, as the rail wrote it; null when it gave none. */
  readonly word: string | null;
}

/** Codes and states. A rail's prose might hold a name or a phone number. */
const PRINTABLE_WORD = /^[A-Za-z0-9_. -]{1,64}$/;

/** One line, `rail_answer`: nothing else keeps what a rail said in its own words. */
export function logRailAnswer(entry: RailLogEntry): void {
  const { rail, call, reference, status, word } = entry;
  log('warn', 'rail_answer', {
    rail,
    call,
    reference,
    ...(status === undefined ? {} : { status }),
    word: word === null || PRINTABLE_WORD.test(word) ? word : '(unprintable)',
  });
}
