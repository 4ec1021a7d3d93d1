import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { log } from '../../log.ts';
import { answerJson } from '../../ui/answer.ts';
import type { PublicCall } from '../call.ts';

/** For the log: what was wrong, without whose passkey or link it was. */
export type RefusalReason =
  | 'malformed'
  | 'challenge'
  | 'unknown_passkey'
  | 'user_handle'
  | 'unverified'
  | 'link'
  | 'not_taken';

/** One answer to everything that is wrong: whoever tries learns nothing by it. */
export function refused({ language }: PublicCall, ceremony: string, reason: RefusalReason) {
  log('warn', 'passkey_refused', { ceremony, reason });
  return answerJson({ message: DASHBOARD_TEXTS[language].signIn.refused }, { status: 401 });
}
