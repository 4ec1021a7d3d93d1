import { sha256Hex } from '../../../kit/crypto/encoding.ts';
import { formFields, jsonObject, scalarOf } from '../members.ts';
import { normalizedState } from '../setting-fields.ts';
import { hashOf, type Seal } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';

/** What CBE says about one transaction, in a callback or a query's answer. Its hash was valid. */
export interface StateReport {
  readonly transactionId: string;
  /** `unknown`: in neither of the operator's lists. */
  readonly state: 'paid' | 'failed' | 'unknown';
  /** The state as CBE writes it. */
  readonly providerCode: string;
}

/**
 * `EncVal` in the body. Published integrations read JSON, but their frameworks also accept forms, so
 * we read both. In a badly encoded form, a `+` arrives as a space, which base64 never contains.
 */
export function sealedCallback(body: string): string | null {
  const inForm = () => formFields(body)?.EncVal?.replaceAll(' ', '+');
  const value = jsonObject(body)?.EncVal ?? inForm();
  return typeof value === 'string' ? value : null;
}

/**
 * The report in a callback's `EncVal`, or null when it is not authentic. It names no amount and no
 * till: the transaction id, which only we can sign, identifies both.
 */
export function callbackReport(
  settings: CbeBirrSettings,
  seal: Seal,
  sealed: string,
): Promise<StateReport | null> {
  return authenticReport(settings, openedFields(seal, sealed), (fields) => ({
    key: settings.secret,
    state: fields.state,
    TNDDate: fields.date,
    transactionId: fields.transactionId,
  }));
}

/** The report in a query answer's `EncryptedResponseValue`; null if not authentic or not our till. */
export function statusReport(
  settings: CbeBirrSettings,
  seal: Seal,
  sealed: string,
): Promise<StateReport | null> {
  const opened = openedFields(seal, sealed);
  const ours = opened?.tillCode === settings.tillCode ? opened : null;
  return authenticReport(settings, ours, (fields) => ({
    Key: settings.secret,
    State: fields.state,
    TNDDate: fields.date,
    Tillcode: fields.tillCode,
    TransactionId: fields.transactionId,
  }));
}

type ReportFields = NonNullable<ReturnType<typeof openedFields>>;

function openedFields(seal: Seal, sealed: string) {
  const opened = seal.open(sealed);
  const value = opened === null ? null : jsonObject(opened);
  const transactionId = value?.TransactionId;
  // CBE's spelling.
  const hash = value?.Signiture;
  const state = hashedText(value?.State);
  const date = hashedText(value?.TNDDate);
  // Only in answers to status queries; otherwise empty.
  const tillCode = hashedText(value?.Tillcode ?? null);
  return typeof transactionId === 'string' &&
    typeof hash === 'string' &&
    state !== null &&
    date !== null &&
    tillCode !== null
    ? { transactionId, state, date, tillCode, hash }
    : null;
}

/** A field as it appears in the hash input; null when it is missing or not a plain value. */
function hashedText(value: unknown): string | null {
  return value === null ? '' : scalarOf(value);
}

/** Null unless the fields have the hash of `hashed`, with the date in one of its forms. */
async function authenticReport(
  settings: CbeBirrSettings,
  fields: ReportFields | null,
  hashed: (fields: ReportFields) => Readonly<Record<string, string>>,
): Promise<StateReport | null> {
  if (fields === null) {
    return null;
  }
  const { transactionId, state, date, hash } = fields;
  // Compares digests, so that the comparison's timing reveals nothing about the right hash.
  const given = await sha256Hex(hash.toLowerCase());
  const genuine = await Promise.all(
    dateForms(date).map(async (form) => sha256Hex(await hashOf(hashed({ ...fields, date: form })))),
  );
  return genuine.includes(given)
    ? { transactionId, state: stateOf(settings, state), providerCode: state }
    : null;
}

const ISO_DATE = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const DAY_AND_MONTH_FIRST = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)/;

/**
 * The forms that `TNDDate` may have in the hash input: as received, as one public implementation
 * has it, and as dd-mm-yyyy, as another has it. When day and month are ambiguous, we try both
 * readings: each is equally hard to forge.
 */
export function dateForms(date: string): readonly string[] {
  const iso = ISO_DATE.exec(date);
  if (iso !== null) {
    return [date, dayMonthYear(iso[3], iso[2], iso[1])];
  }
  const [, first, second, year] = DAY_AND_MONTH_FIRST.exec(date) ?? [];
  return year === undefined
    ? [date]
    : [date, dayMonthYear(first, second, year), dayMonthYear(second, first, year)];
}

function dayMonthYear(day = '', month = '', year = ''): string {
  return `${day.padStart(2, '0')}-${month.padStart(2, '0')}-${year}`;
}

function stateOf(settings: CbeBirrSettings, state: string): StateReport['state'] {
  const normalized = normalizedState(state);
  if (settings.paidStates.includes(normalized)) {
    return 'paid';
  }
  return settings.failedStates.includes(normalized) ? 'failed' : 'unknown';
}
