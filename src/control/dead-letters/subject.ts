import { OBJECT_NAME } from '../../engine/domain/identifiers.ts';
import { sha256Hex } from '../../kit/crypto/encoding.ts';
import type { MessageQueue } from './queues.ts';

/** What a provider reported comes first: it may be money. */
export const LETTER_KINDS = ['result', 'delivery', 'unknown'] as const;
export type LetterKind = (typeof LETTER_KINDS)[number];

interface Subject {
  readonly kind: LetterKind;
  /** The name of the payment's object, where the message has one. */
  readonly objectName: string | null;
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
  const objectName = objectNameIn(body);
  const parts = objectName === null ? null : await partsOf(kind, body);
  const isKnown = parts?.every(isName) === true;
  const subject = isKnown ? [kind, objectName, ...parts].join('/') : `message/${messageId}`;
  return { kind, objectName, subject };
}

/** What distinguishes the subjects of one kind and object. */
async function partsOf(kind: LetterKind, body: unknown): Promise<readonly unknown[] | null> {
  switch (kind) {
    case 'delivery':
      return [fieldOf(body, 'sequence'), fieldOf(body, 'position')];
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
  if (queue !== 'kefel-provider-reports') {
    return 'delivery';
  }
  return fieldOf(body, 'type') === 'result' ? 'result' : 'unknown';
}

function objectNameIn(body: unknown): string | null {
  const objectName = fieldOf(body, 'objectName');
  return typeof objectName === 'string' && OBJECT_NAME.test(objectName) ? objectName : null;
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}
