import type { SubjectId } from '../../../engine/alerts/subjects.ts';

/** The texts of the messages in one language. The reader may have been woken by them. */
export interface AlertWords {
  readonly subjects: Readonly<Record<SubjectId, SubjectWords>>;
  /** The first line, from a subject's title. */
  readonly kinds: Readonly<Record<'new' | 'repeat' | 'resolved', (title: string) => string>>;
  /** The end of a subject says nothing more than that. */
  readonly resolved: string;
  readonly since: (time: string) => string;
  readonly merchants: (ids: string, others: number) => string;
  readonly money: string;
  readonly todo: string;
  readonly guide: string;
  readonly desk: string;
  readonly allIsWell: string;
  readonly digest: (subjects: number) => string;
  readonly test: string;
  readonly testText: string;
}

interface SubjectWords {
  /** What happened, with how many. `details`: methods, queues, names of secrets; '' for none. */
  readonly title: (count: number, details: string) => string;
  /** The same without a number: what is over. */
  readonly name: string;
  readonly money: string;
  readonly todo: string;
}
