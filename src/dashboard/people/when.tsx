import { timeText } from '../../pages/time-text.ts';
import type { PublicCall } from '../call.ts';
import { Moment } from '../elements.tsx';
import { SHARED_WORDS } from '../words.ts';

/** A moment in the words of the page. */
export function When(props: {
  readonly call: Pick<PublicCall, 'language'>;
  readonly atMs: number;
}) {
  const { call, atMs } = props;
  return <Moment atMs={atMs}>{timeText(atMs, SHARED_WORDS[call.language])}</Moment>;
}
