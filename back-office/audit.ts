import {
  ACCESS_CHANGES_SHOWN_MAX,
  type AccessViewer,
  accessChanges,
} from '../src/control/audit/access-changes.ts';
import {
  AUDIT_FILE_PAGE_ROWS,
  AUDIT_PAGE_ROWS,
  type AuditFilter,
  type AuditRecord,
  auditEntries,
  auditEntriesOfMonth,
  monthCursor,
} from '../src/control/audit/read.ts';
import { WRONG_PLACE } from '../src/control/audit/readings.ts';
import { MONTH_PAGE } from '../src/control/operator/fields.ts';
import type { Actor } from '../src/kit/audit/log.ts';
import { seal, unseal } from '../src/kit/crypto/sealed.ts';
import { validationProblem } from '../src/kit/http/problem.ts';
import { body, checked } from '../src/kit/http/strict-body.ts';
import {
  type Cursor,
  cursorText,
  type Page,
  type Place,
  pageOf,
} from '../src/kit/platform/paging.ts';
import type { BackOfficeConfig } from './config.ts';
import type { BackOfficeEnv } from './env.ts';
import type { PaymentsPlane } from './payments-plane.ts';

/**
 * The audit log as pages show it. The back office records what members change about each other, the
 * payments plane everything else, each in its own database with the change.
 */

interface AuditCall {
  readonly env: Pick<BackOfficeEnv, 'BACK_OFFICE_DB'>;
  readonly payments: PaymentsPlane;
  readonly nowMs: number;
}

/** The back office or payments. Entries of one millisecond lie in this order, then by id. */
type Source = 'b' | 'p';

export interface SourcedRecord extends AuditRecord {
  readonly source: Source;
}

/** An entry's position among those of its millisecond, in a cursor. */
const POSITION = /^([bp])(\d{1,15})$/;
const ID_MAX = '9'.repeat(15);
/** Before all entries of a millisecond. */
const FIRST_POSITION = 'b0';

/**
 * One page of a merchant's entries, newest first, without those of others and of no merchant; with
 * null, for the operator, of all and of none. A cursor of another list counts as none.
 */
export async function auditPage(
  { env, payments }: AuditCall,
  merchantId: string | null,
  filter: AuditFilter,
  cursor: Cursor | null,
): Promise<Page<AuditRecord>> {
  const from = cursor !== null && POSITION.test(cursor.id) ? cursor : null;
  const [ours, theirs] = await Promise.all([
    auditEntries(env.BACK_OFFICE_DB, merchantId, filter, from && cursorIn('b', from)),
    payments.audit.entries(merchantId, filter, from && cursorIn('p', from)),
  ]);
  return merged(ours, theirs, from, AUDIT_PAGE_ROWS);
}

/** The page that begins with the entries of both logs, as far as they follow the cursor. */
function merged(
  ours: readonly AuditRecord[],
  theirs: readonly AuditRecord[],
  from: Cursor | null,
  rows: number,
): Page<SourcedRecord> {
  const entries: SourcedRecord[] = [
    ...ours.map((entry) => ({ ...entry, source: 'b' as const })),
    ...theirs.map((entry) => ({ ...entry, source: 'p' as const })),
  ];
  const sign = from?.direction === 'newer' ? 1 : -1;
  entries.sort((one, other) => sign * compare(one, other));
  return pageOf({ placeOf }, entries, from, rows);
}

export interface ExportedAudit {
  readonly rows: readonly SourcedRecord[];
  /** The next call's `after`; null after the last page. */
  readonly next: string | null;
}

type ExportCall = AuditCall & {
  readonly config: Pick<BackOfficeConfig, 'backOfficeKeys'>;
  readonly actor: Actor;
};

/** A page of the file of a month's entries, newest first. Payments records that it is read. */
export async function exportedAudit(call: ExportCall, fields: unknown): Promise<ExportedAudit> {
  const { env, payments, actor } = call;
  const { month, after } = checked(body(MONTH_PAGE), fields);
  const { place, begun } = await placeAfter(call, month, after);
  const named = monthCursor(month, place);
  const from = POSITION.test(named.id) ? named : { ...named, id: FIRST_POSITION };
  const ours = await auditEntriesOfMonth(env.BACK_OFFICE_DB, month, cursorIn('b', from));
  const { rows: theirs, next } = await payments.operator.exportAudit(
    actor,
    {},
    {
      month,
      ...(begun !== null && { after: begun }),
      place: cursorText(cursorIn('p', from)),
      elsewhere: ours.length,
    },
  );
  const { rows, nextCursor } = merged(ours, theirs, from, AUDIT_FILE_PAGE_ROWS);
  const sealPlace = (begun: string) =>
    seal(
      call.config.backOfficeKeys,
      JSON.stringify({ place: nextCursor, begun }),
      placeContext(call, month),
    );
  return { rows, next: next && (await sealPlace(next)) };
}

/** Where the file goes on, and the token with which payments goes on. */
interface ExportPlace {
  readonly place: string | null;
  readonly begun: string | null;
}

/** Problem 400 unless a page of the same file gave it: a file that skips entries must not look complete. */
async function placeAfter(
  call: ExportCall,
  month: string,
  after: string | undefined,
): Promise<ExportPlace> {
  if (after === undefined) {
    return { place: null, begun: null };
  }
  const text = await unseal(call.config.backOfficeKeys, after, placeContext(call, month));
  if (text === null) {
    throw validationProblem({ after: WRONG_PLACE });
  }
  return JSON.parse(text);
}

function placeContext({ actor }: ExportCall, month: string): string {
  return `audit-export/${month}/${actor.id}`;
}

/** The cursor for the entries of one source: before or after all of its millisecond, or its own. */
function cursorIn(source: Source, cursor: Cursor): Cursor {
  const [, named = '', id = ''] = POSITION.exec(cursor.id) ?? [];
  return { ...cursor, id: source === named ? id : source > named ? '0' : ID_MAX };
}

function placeOf({ atMs, source, id }: SourcedRecord): Place {
  return { atMs, id: `${source}${id}` };
}

function compare(one: SourcedRecord, other: SourcedRecord): number {
  return one.atMs - other.atMs || one.source.localeCompare(other.source) || one.id - other.id;
}

export interface AccessChanges {
  /** The newest, newest first. */
  readonly entries: readonly AuditRecord[];
  readonly hasMore: boolean;
}

/** The changes of access that the member has not dismissed. */
export async function undismissedAccess(
  { env, payments, nowMs }: AuditCall,
  viewer: AccessViewer,
): Promise<AccessChanges> {
  const [ours, theirs] = await Promise.all([
    accessChanges(env.BACK_OFFICE_DB, viewer, nowMs),
    payments.audit.newAccess(viewer),
  ]);
  const entries = [...theirs, ...ours].sort((one, other) => other.atMs - one.atMs);
  return {
    entries: entries.slice(0, ACCESS_CHANGES_SHOWN_MAX),
    hasMore: entries.length > ACCESS_CHANGES_SHOWN_MAX,
  };
}
