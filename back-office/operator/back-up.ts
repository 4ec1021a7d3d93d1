import { isRecord } from '../../src/kit/http/fields.ts';
import { exportDatabase } from '../backup.ts';
import type { Fields, Outcome } from './actions/action.ts';
import type { OperatorCall, PathParts } from './call.ts';

/** One request of `backup now`: the back office's half, and then that of the payments. */
export async function backUp(
  { payments, actor, env }: OperatorCall,
  target: PathParts,
  fields: Fields,
): Promise<Outcome> {
  const { operator } = payments;
  // Refuses what is wrong and writes the entry before anything is copied.
  const checked: unknown = isRecord(fields) ? { ...fields, onlyBegins: true } : fields;
  const begun = await operator.backUpNow(actor, target, checked as Fields);
  // The manifest names what the back office has exported, so it follows.
  const hasMembers = fields.hasMembers === true || (await exportDatabase(env, { isExtra: true }));
  const content = hasMembers ? await operator.backUpNow(actor, target, { continues: true }) : begun;
  return { message: 'Backed up', content: { ...content, hasMembers } };
}
