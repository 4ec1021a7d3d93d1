import { SUBJECTS } from '../../engine/alerts/subjects.ts';
import { isoTime } from '../../kit/ethiopian-time.ts';
import { guideUrl, type Links } from './message.ts';
import type { Notice, NoticeSubject } from './notice.ts';

/** A notice as the operator's webhook receives it (docs/operator.md#alert-webhook). */
export function wireAlert(
  { kind, atMs, subjects }: Notice,
  links: Links,
  { title, text }: { readonly title: string; readonly text: string },
) {
  const about = subjects.map((subject) => wireSubject(subject, links));
  return {
    type: `alert.${kind}`,
    timestamp: isoTime(atMs),
    data: { title, text, ...(kind === 'digest' ? { subjects: about } : about[0]) },
  };
}

function wireSubject(
  { subject, count, sinceAtMs, merchants, merchantIds, details }: NoticeSubject,
  links: Links,
) {
  return {
    subject,
    /** The same in each message about the subject: pagers close an incident by it. */
    dedupKey: `kefel/${subject}`,
    concerns: SUBJECTS[subject].concerns,
    count,
    since: isoTime(sinceAtMs),
    merchants,
    merchantIds,
    details,
    guideUrl: guideUrl(links, subject),
  };
}
