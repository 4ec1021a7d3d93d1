import { BoundedCache } from '../../kit/platform/bounded-cache.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';

/** A number never changes, but a restored database may give a new merchant another one. */
const NUMBER_AGE_MS_MAX = 60 * 60 * 1_000;
/** About 100 bytes each. */
const NUMBERS_MAX = 2_000;

const ids = new BoundedCache<string>({ sizeMax: NUMBERS_MAX, ageMsMax: NUMBER_AGE_MS_MAX });

/** The merchant with this number, or null. Throws DatabaseUnavailable. */
export async function merchantOfNumber(
  env: Env,
  number: number,
  nowMs: number,
): Promise<string | null> {
  const known = ids.get(String(number), nowMs);
  if (known !== undefined) {
    return known.value;
  }
  const sql = 'SELECT id FROM merchants WHERE number = ?1';
  const id = await readInTime(() => prepare(env.DB, { sql, params: [number] }).first<string>('id'));
  if (id !== null) {
    ids.set(String(number), id, nowMs);
  }
  return id;
}
