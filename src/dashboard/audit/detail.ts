import { majorText } from '../../domain/money.ts';
import { timeText } from '../../pages/time-text.ts';
import { frameWords } from '../frame-words.ts';
import { roleFrom } from '../permissions.ts';
import { type DashboardLanguage, SHARED_WORDS } from '../words.ts';
import { auditWords } from './words.ts';

/** What an entry has to tell beside its action, readable: by name, with moments and money in words. */
export function detailRows(
  detail: Readonly<Record<string, unknown>>,
  language: DashboardLanguage,
): readonly (readonly [label: string, value: string])[] {
  return Object.entries(detail).map(([name, value]) => [
    labelText(name, language),
    valueText(name, value, language),
  ]);
}

/** Names that no page has words for yet are split into theirs: `settlementId` is "settlement id". */
function labelText(name: string, language: DashboardLanguage): string {
  const { details } = auditWords[language];
  return Object.hasOwn(details, name)
    ? details[name as keyof typeof details]
    : name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** By the unit that the name ends with, as everywhere in our own words. */
function valueText(name: string, value: unknown, language: DashboardLanguage): string {
  const text = auditWords[language];
  if (value === null || value === '') {
    return text.nothing;
  }
  if (typeof value === 'boolean') {
    return value ? text.yes : text.no;
  }
  if (typeof value === 'number') {
    return numberText(name, value, language);
  }
  const role = /role/i.test(name) ? roleFrom(String(value)) : null;
  return role === null ? String(value) : frameWords[language].role[role];
}

function numberText(name: string, value: number, language: DashboardLanguage): string {
  if (name.endsWith('AtMs') && Number.isSafeInteger(value)) {
    return timeText(value, SHARED_WORDS[language]);
  }
  if (/Minor(Max)?$/.test(name) && Number.isSafeInteger(value)) {
    return majorText(value);
  }
  return /basisPoints$/i.test(name) ? `${majorText(value)} %` : String(value);
}
