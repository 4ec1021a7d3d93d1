import { tellAlerts } from '../../engine/alerts/client.ts';
import type { MethodTally, Standing } from '../../engine/alerts/standing.ts';
import { earliest } from '../../engine/domain/earliest.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { AttemptCounts } from './ended-attempts.ts';
import { identityOf } from './schema.ts';

/**
 * What a book of production tells the operator's alerts: how many of its payments need a person, and
 * how the attempts by each method end. It compares with what it last told, so that nothing is lost
 * with a process, and a book without a problem writes no row.
 */

/** How often a book may report its attempts: a call of an object costs as much as a payment's. */
const TALLY_EVERY_MS = 60_000;
/**
 * The same for attempts that reached no provider: no payment may follow until an operator knows, and
 * the platform may remove an idle object from memory, and them with it, after 10 s.
 * https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/
 */
const UNREACHED_EVERY_MS = 5_000;
/** How long the book waits before it reports again what did not arrive. */
const AGAIN_MS = 60_000;
const NOTHING = '[]';
/** Stored before each report: its answer may be lost, and then the book does not know what arrived. */
const UNKNOWN = '';

type Counts = AttemptCounts & Pick<MethodTally, 'neverReachedFromMs' | 'succeededAtMs'>;

export class BookAlerts {
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  /** What the alerts have of this book, in JSON; null: not read yet. */
  #told: string | null = null;
  #againAtMs: number | null = null;
  /** Null: not read yet. */
  #reviewedBefore: readonly string[] | null = null;
  #tallies: readonly Counts[] = [];
  #talliedAtMs = 0;
  #reporting: Promise<void> | null = null;
  #mustReport = false;

  constructor(storage: DurableObjectStorage, env: Env) {
    this.#storage = storage;
    this.#env = env;
  }

  /** Counts attempts that have just ended. In memory: a lost count hides no money. */
  count(tallies: readonly AttemptCounts[]): void {
    const nowMs = Date.now();
    this.#tallies = tallies.reduce((known, one) => added(known, one, nowMs), this.#tallies);
  }

  /** The next report says all again: a restored book remembers what it told at another time. */
  forgetTold(): void {
    this.#told = UNKNOWN;
  }

  /** When something must be reported that no payment's message will report; null: nothing. */
  wakeAtMs(): number | null {
    const dueAtMs = this.#talliedAtMs + UNREACHED_EVERY_MS;
    return earliest(this.#againAtMs, this.#hasUnreached() && dueAtMs > Date.now() ? dueAtMs : null);
  }

  #hasUnreached(): boolean {
    return this.#tallies.some(({ unreached }) => unreached > 0);
  }

  /** Reports what has changed. Never throws. `mayDiffer`: false while no item has changed. */
  async report(mayDiffer: boolean): Promise<void> {
    if (identityOf(this.#storage.sql).environment !== 'production') {
      return;
    }
    if (mayDiffer || this.#toldBefore() === UNKNOWN) {
      this.#mustReport = true;
      this.#reporting ??= this.#reportStandings().finally(() => {
        this.#reporting = null;
      });
      await this.#reporting;
    }
    await this.#reportTallies();
  }

  /** One report after the other: the last one says what is so now. */
  async #reportStandings(): Promise<void> {
    while (this.#mustReport) {
      this.#mustReport = false;
      this.#againAtMs = null;
      const standings = await this.#standings();
      const text = JSON.stringify(standings);
      if (text === this.#toldBefore()) {
        continue;
      }
      const { merchantId, volume } = identityOf(this.#storage.sql);
      const source = `book/production/${merchantId}/${volume}` as const;
      this.#keepTold(UNKNOWN);
      if (await tellAlerts(this.#env, (alerts) => alerts.stand(source, standings))) {
        this.#keepTold(text);
      } else {
        this.#againAtMs = Date.now() + AGAIN_MS;
      }
    }
  }

  async #standings(): Promise<readonly Standing[]> {
    const { sql } = this.#storage;
    // Most books list no payment, and then need not ask D1.
    if (sql.exec('SELECT 1 FROM attention LIMIT 1').toArray().length === 0) {
      return [];
    }
    const reviewed = await this.#reviewed();
    const rows = sql.exec<{ subject: Standing['subject']; count: number; sinceAtMs: number }>(
      STANDINGS,
      JSON.stringify(reviewed),
    );
    return rows.toArray().map((row) => ({ ...row, detail: null }));
  }

  /** The payments of the list that an operator has reviewed; while D1 fails, those known before. */
  async #reviewed(): Promise<readonly string[]> {
    const { merchantId, environment } = identityOf(this.#storage.sql);
    const statement = {
      sql: `SELECT payment_uuid AS uuid FROM attention_item INDEXED BY attention_item_by_merchant
        WHERE merchant_id = ?1 AND environment = ?2 AND section = 'reviewed'`,
      params: [merchantId, environment],
    };
    try {
      const { results } = await readInTime(() =>
        prepare(this.#env.DB, statement).all<{ uuid: string }>(),
      );
      this.#reviewedBefore = results.map(({ uuid }) => uuid);
    } catch (error) {
      log('warn', 'reviews_unknown', { error: errorText(error) });
      this.#againAtMs = Date.now() + AGAIN_MS;
    }
    this.#reviewedBefore ??= JSON.parse(this.#stored()?.reviewed ?? '[]') as string[];
    return this.#reviewedBefore;
  }

  async #reportTallies(): Promise<void> {
    const nowMs = Date.now();
    const everyMs = this.#hasUnreached() ? UNREACHED_EVERY_MS : TALLY_EVERY_MS;
    if (this.#tallies.length === 0 || nowMs - this.#talliedAtMs < everyMs) {
      return;
    }
    const { merchantId } = identityOf(this.#storage.sql);
    const tallies = this.#tallies.map(
      (counts): MethodTally => ({
        environment: 'production',
        merchantId,
        ...counts,
      }),
    );
    this.#tallies = [];
    this.#talliedAtMs = nowMs;
    await tellAlerts(this.#env, (alerts) => alerts.tally(tallies));
  }

  #toldBefore(): string {
    this.#told ??= this.#stored()?.standings ?? NOTHING;
    return this.#told;
  }

  #stored() {
    return this.#storage.sql
      .exec<{ standings: string; reviewed: string }>('SELECT standings, reviewed FROM alerts_told')
      .toArray()[0];
  }

  #keepTold(standings: string): void {
    this.#told = standings;
    const reviewed = this.#reviewedBefore === null ? null : JSON.stringify(this.#reviewedBefore);
    this.#storage.sql.exec(
      `INSERT INTO alerts_told (id, standings, reviewed) VALUES (1, ?1, ifnull(?2, '[]'))
        ON CONFLICT DO UPDATE SET standings = ?1, reviewed = ifnull(?2, reviewed)
          WHERE standings <> ?1 OR reviewed <> ifnull(?2, reviewed)`,
      standings,
      reviewed,
    );
  }
}

/** Counted over the payments of the list, which has a limit. ?1: those that were reviewed. */
const STANDINGS = `SELECT subject, COUNT(*) AS count, MIN(at_ms) AS sinceAtMs FROM (
    SELECT 'refunds_by_hand' AS subject, value ->> '$.refund.createdAtMs' AS at_ms
      FROM attention CROSS JOIN json_each(items) WHERE value ->> '$.type' = 'refund'
    UNION ALL
    SELECT kind.value, item.value ->> '$.payment.updatedAtMs'
      FROM attention CROSS JOIN payment ON payment.id = payment_id
        CROSS JOIN json_each(items) AS item
        CROSS JOIN json_each('["unresolved_attempts","money_conflicts"]') AS kind
      WHERE item.value ->> '$.type' = 'payment'
        AND uuid NOT IN (SELECT value FROM json_each(?1))
        AND CASE kind.value WHEN 'unresolved_attempts'
          THEN json_array_length(item.value, '$.unresolved') > 0
          ELSE item.value ->> '$.moneyConflicts' > 0 END)
  GROUP BY subject ORDER BY subject`;

/** The object hears of it up to a minute later, so it is told when the attempts ended. */
function added(known: readonly Counts[], one: AttemptCounts, nowMs: number): readonly Counts[] {
  const before = known.find(({ method }) => method === one.method);
  const failedAtMs = one.neverReached > 0 ? nowMs : null;
  const sum: Counts = {
    method: one.method,
    succeeded: one.succeeded + (before?.succeeded ?? 0),
    refused: one.refused + (before?.refused ?? 0),
    unreached: one.unreached + (before?.unreached ?? 0),
    neverReached: one.neverReached + (before?.neverReached ?? 0),
    neverReachedFromMs: before?.neverReachedFromMs ?? failedAtMs,
    succeededAtMs: one.succeeded > 0 ? nowMs : (before?.succeededAtMs ?? null),
  };
  return [...known.filter(({ method }) => method !== one.method), sum];
}
