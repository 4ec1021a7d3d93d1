import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { body } from '../../kit/http/strict-body.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { readState } from '../../recovery/restore-state.ts';
import { type ActionCall, action, changeAudited, type Gateway } from '../operator/call.ts';
import { lineField, REASON_CHARACTERS_MAX } from '../operator/fields.ts';
import { operationProblem } from '../operator/problems.ts';

/** The modes of the whole gateway (docs/decisions.md#48). */
export interface Modes {
  /** Null in normal mode. */
  readonly maintenance: {
    readonly startedAtMs: number;
    readonly by: string;
    readonly reason: string;
  } | null;
  /** Null while members may change their settings. */
  readonly membersReadOnly: { readonly startedAtMs: number; readonly by: string } | null;
}

interface ModesRow {
  readonly startedAtMs: number | null;
  readonly by: string;
  readonly reason: string;
  readonly readOnlyStartedAtMs: number | null;
  readonly readOnlyBy: string;
}

const MODES_SQL = `SELECT maintenance_since_ms AS startedAtMs, maintenance_by AS "by",
  maintenance_reason AS reason, members_read_only_since_ms AS readOnlyStartedAtMs,
  members_read_only_by AS readOnlyBy FROM gateway_settings`;

export async function readModes({ env }: Pick<Gateway, 'env'>): Promise<Modes> {
  const row = await prepare(env.DB, { sql: MODES_SQL, params: [] }).first<ModesRow>();
  const {
    startedAtMs = null,
    by = '',
    reason = '',
    readOnlyStartedAtMs = null,
    readOnlyBy = '',
  } = row ?? {};
  return {
    maintenance: startedAtMs === null ? null : { startedAtMs, by, reason },
    membersReadOnly:
      readOnlyStartedAtMs === null ? null : { startedAtMs: readOnlyStartedAtMs, by: readOnlyBy },
  };
}

/**
 * Refuses new payments and refunds within 10 s. What has begun continues: checkout pages, attempts,
 * callbacks, webhooks and alarms.
 */
export const beginMaintenance = action(
  body({ reason: lineField(REASON_CHARACTERS_MAX) }),
  (call, _target, { reason }) => {
    const stored = withoutPhoneNumbers(reason);
    return changeModes(call, maintenanceStatement(call, stored), {
      action: 'maintenance.began',
      detail: { reason: stored },
    });
  },
);

/** `reason`: without phone numbers. */
export function maintenanceStatement(
  { nowMs, actor }: Pick<ActionCall, 'nowMs' | 'actor'>,
  reason: string,
): SqlStatement {
  return {
    sql: `UPDATE gateway_settings SET mode = 'maintenance', maintenance_since_ms = ?1,
        maintenance_by = ?2, maintenance_reason = ?3
      WHERE mode <> 'maintenance'`,
    params: [nowMs, actor.name, reason],
  };
}

/** Problem 409 while a part of the payments is still missing. */
export async function refuseDuringRestore(env: Env): Promise<void> {
  const restore = await readState(env.DB);
  if (restore !== null && restore.finishedAtMs === null) {
    throw operationProblem('restore_under_way', { run: restore.run });
  }
}

/** Refused in the middle of a restore: a payment that is created then could get an id of the backup. */
export const endMaintenance = action(body({}), async (call) => {
  await refuseDuringRestore(call.env);
  return changeModes(
    call,
    {
      sql: `UPDATE gateway_settings SET mode = 'normal', maintenance_since_ms = NULL,
          maintenance_by = NULL, maintenance_reason = NULL
        WHERE mode <> 'normal'`,
      params: [],
    },
    { action: 'maintenance.ended' },
  );
});

/** Refuses every change by a member from the next request on. Members can still sign in and read. */
export const pauseMemberChanges = action(body({}), (call) =>
  changeModes(
    call,
    {
      sql: `UPDATE gateway_settings SET members_read_only = 1, members_read_only_since_ms = ?1,
          members_read_only_by = ?2
        WHERE members_read_only = 0`,
      params: [call.nowMs, call.actor.name],
    },
    { action: 'member_changes.paused' },
  ),
);

export const resumeMemberChanges = action(body({}), (call) =>
  changeModes(
    call,
    {
      sql: `UPDATE gateway_settings SET members_read_only = 0, members_read_only_since_ms = NULL,
          members_read_only_by = NULL
        WHERE members_read_only = 1`,
      params: [],
    },
    { action: 'member_changes.resumed' },
  ),
);

type Recorded = Pick<Parameters<typeof changeAudited>[2], 'action' | 'detail'>;

async function changeModes(call: ActionCall, change: SqlStatement, act: Recorded) {
  const entry = { ...act, merchantId: null, environment: null, target: null };
  const isChanged = await changeAudited(call, change, entry);
  return { isChanged, content: await readModes(call) };
}
