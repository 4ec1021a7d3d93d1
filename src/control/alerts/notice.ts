import type { SubjectId } from '../../engine/alerts/subjects.ts';

/** What one message to the operator says, before a channel gives it words. */
export interface Notice {
  /** A UUID, the same over all tries and channels: receivers can tell a repetition. */
  readonly id: string;
  /** `repeat`: more has happened since the last message. `digest`: each morning. */
  readonly kind: 'new' | 'repeat' | 'resolved' | 'digest' | 'test';
  readonly atMs: number;
  /** One, but in a digest all that are open, and in a test none. */
  readonly subjects: readonly NoticeSubject[];
}

export interface NoticeSubject {
  readonly subject: SubjectId;
  /** How many things need a person; 0 when resolved. */
  readonly count: number;
  /** When the oldest began to wait. */
  readonly sinceAtMs: number;
  /** The merchants concerned, by id, and how many there are in all. */
  readonly merchantIds: readonly string[];
  readonly merchants: number;
  /** What is concerned: methods, queues, names of secrets. */
  readonly details: readonly string[];
}

export function noticeOf(
  kind: Notice['kind'],
  subjects: readonly NoticeSubject[],
  atMs: number,
): Notice {
  return { id: crypto.randomUUID(), kind, atMs, subjects };
}

/** Names in one message. A list of hundreds is too long to read at night. */
export const NAMES_MAX = 5;

/** Telegram's limit is the smallest (4,096 characters), and a message is read on a phone. */
export const MESSAGE_CHARACTERS_MAX = 3_000;
