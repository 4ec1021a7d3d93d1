import { configOf } from '../config.ts';
import type { AlertLanguage } from './config.ts';
import type { Notice } from './notice.ts';
import type { SubjectId } from './subjects.ts';

export interface Links {
  /** The origin of the back office; null: the operator has not named it. */
  readonly backOffice: string | null;
}

export function linksOf(env: Env): Links {
  try {
    return { backOffice: configOf(env).backOfficeBaseUrl };
  } catch {
    // Alerts must leave although another variable is malformed.
    return { backOffice: null };
  }
}

export function guideUrl({ backOffice }: Links, subject: SubjectId): string {
  return backOffice === null ? `docs/night.md#${subject}` : `${backOffice}/docs/night/#${subject}`;
}

/** What a person reads, in each language. */
export function wordsOf(
  notice: Notice,
  _languages: readonly AlertLanguage[],
  _links: Links,
): { readonly title: string; readonly text: string } {
  const title = `Kefel: ${notice.kind} ${notice.subjects.map(({ subject }) => subject).join(', ')}`;
  return { title, text: title };
}
