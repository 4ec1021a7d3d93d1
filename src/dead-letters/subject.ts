import { sha256Hex } from '../crypto/encoding.ts';
import { OBJECT_ID } from '../domain/identifiers.ts';
import type { MessageQueue } from './queues.ts';

export type LetterKind = 'result' | 'start' | 'delivery' | 'unknown';

interface Subject {
  readonly kind: LetterKind;
  /** The payment's object, where the message names one. */
  readonly objectId: string | null;
  /** Two messages with one subject ask for the same work. */
  readonly subject: string;
}

/**
 * What a message is about. An object sends a lost message again under a new id, so the id does
 * not identify it. A message that cannot be read is a subject of its own.
 */
export async function subjectOf(
  queue: MessageQueue,
  messageId: string,
  body: unknown,
): Promise<Subject> {
  const kind = kindOf(queue, body);
  const objectId = objectIdIn(body);
  const parts = objectId === null ? null : await partsOf(kind, body);
  const isKnown = parts?.every(isName) === true;
  const subject = isKnown ? [kind, objectId, ...parts].join('/') : `message/${messageId}`;
  return { kind, objectId, subject };
}

/** What distinguishes the subjects of one kind and object. */
async function partsOf(kind: LetterKind, body: unknown): Promise<readonly unknown[] | null> {
  switch (kind) {
    case 'delivery':
      return [fieldOf(body, 'sequence'), fieldOf(body, 'position')];
    case 'start':
      return [fieldOf(body, 'attemptId')];
    case 'result':
      // Two reports of a provider may both be the only copy, so only identical ones are one subject.
      return [await sha256Hex(JSON.stringify(body))];
    case 'unknown':
      return null;
  }
}

function isName(part: unknown): boolean {
  return typeof part === 'number' || (typeof part === 'string' && /^[\w-]{1,128}$/.test(part));
}

function kindOf(queue: MessageQueue, body: unknown): LetterKind {
  if (queue !== 'kefel-rail-starts') {
    return 'delivery';
  }
  const type = fieldOf(body, 'type');
  return type === 'result' || type === 'start' ? type : 'unknown';
}

function objectIdIn(body: unknown): string | null {
  const objectId = fieldOf(body, 'objectId');
  return typeof objectId === 'string' && OBJECT_ID.test(objectId) ? objectId : null;
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}
