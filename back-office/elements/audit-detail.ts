import type { AuditRecord } from '../../src/control/audit/read.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import { timeText } from '../../src/kit/i18n/time-text.ts';
import { majorText } from '../../src/kit/money.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { roleFrom } from '../members/permissions.ts';

/** An entry's details as text, each with its label. */
export function useDetailRows({
  action,
  detail,
}: Pick<AuditRecord, 'action' | 'detail'>): readonly (readonly [label: string, value: string])[] {
  return Object.entries(detail).map(([name, value]) => [
    useLabelText(labelled(action, name)),
    useValueText(action, name, value),
  ]);
}

/** The ends of a date range. Elsewhere, these names are the values before and after a change. */
const RANGE_NAMES = { from: 'since', to: 'until' } as const;

function labelled(action: string, name: string): string {
  const isRange = action === 'events.resend_requested' && Object.hasOwn(RANGE_NAMES, name);
  return isRange ? RANGE_NAMES[name as keyof typeof RANGE_NAMES] : name;
}

/** A name without a text is split into its words: `paymentUuid` becomes "payment uuid". */
function useLabelText(name: string): string {
  const { details } = useTexts(DASHBOARD_TEXTS).audit;
  return Object.hasOwn(details, name)
    ? details[name as keyof typeof details]
    : name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** Formats a value by the unit at the end of its name. */
function useValueText(action: string, name: string, value: unknown): string {
  const text = useTexts(DASHBOARD_TEXTS).audit;
  if (value === null || value === '') {
    return text.nothing;
  }
  if (typeof value === 'boolean') {
    return value ? text.yes : text.no;
  }
  if (typeof value === 'number') {
    return useNumberText(name, value);
  }
  return useNameText(action, name, String(value));
}

/** Roles, methods and sessions by their texts, everything else unchanged. */
function useNameText(action: string, name: string, value: string): string {
  const role = name === 'role' || action === 'member.role_changed' ? roleFrom(value) : null;
  if (role !== null && name !== 'name') {
    return useTexts(DASHBOARD_TEXTS).frame.role[role];
  }
  if (name === 'method') {
    const method = METHODS.find((known) => known === value);
    return method === undefined ? value : useTexts(CHECKOUT_TEXTS).methodName[method];
  }
  if (name === 'which' && (value === 'all' || value === 'others')) {
    return useTexts(DASHBOARD_TEXTS).audit.sessions[value];
  }
  return value;
}

function useNumberText(name: string, value: number): string {
  if (name.endsWith('AtMs') && Number.isSafeInteger(value)) {
    return timeText(value, useTexts(CHECKOUT_TEXTS));
  }
  if (/Minor(Max)?$/.test(name) && Number.isSafeInteger(value)) {
    return majorText(value);
  }
  return /basisPoints$/i.test(name) ? `${majorText(value)}%` : String(value);
}
