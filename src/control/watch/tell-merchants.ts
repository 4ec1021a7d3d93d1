import { configOf } from '../../engine/config.ts';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { DAY_MS } from '../../engine/domain/schedule.ts';
import { endpointOrigin, type MessageLanguage } from '../../engine/webhooks/endpoints.ts';
import { recordFailure } from '../../engine/webhooks/failing-endpoints.ts';
import { sendMessage } from '../../engine/webhooks/people/tell-person.ts';
import { MESSAGE_TEXTS, type NewsKind } from '../../engine/webhooks/people/texts.ts';
import { isAccepted } from '../../engine/webhooks/send.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare, runBatch } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import { ACCESS_ACTIONS } from '../audit/access-changes.ts';

/**
 * Tells people what needs their merchant, beside payments (docs/notifications.md#needs). What is stored
 * anyway is the outbox: the audit log, failing endpoints and the attention list. Each person's endpoint
 * stores up to which time it was told, so a message that was lost is sent again.
 */

/** A server that fails for less may restart. */
const FAILING_FOR_MS = 60 * 60_000;
/** Rows are stored within seconds of their time. */
const STORED_WITHIN_MS = 10_000;
/** Older news would only confuse the people of a chat that was out of reach. */
const NEWS_AGE_MS_MAX = DAY_MS;
/** Lines of one message; the next look sends the rest. News of the last line's millisecond are added. */
const NEWS_MAX = 20;

interface Person extends Tenant {
  readonly endpointId: string;
  readonly url: string;
  readonly language: MessageLanguage;
  readonly toldUntilMs: number;
}

interface News {
  readonly kind: NewsKind;
  readonly subject: string;
  readonly atMs: number;
}

const PEOPLE_SQL = `SELECT id AS endpointId, own.merchant_id AS merchantId, own.environment, url,
    language, told_until_ms AS toldUntilMs
  FROM webhook_endpoints AS own INDEXED BY webhook_endpoints_of_people
  LEFT JOIN failing_endpoints AS failing ON failing.merchant_id = own.merchant_id
    AND failing.environment = own.environment AND failing.endpoint = own.id
  WHERE language IS NOT NULL AND told_until_ms IS NOT NULL AND enabled = 1
    AND failing.paused_at_ms IS NULL`;

/** ?1 and ?2: the tenant. ?3 and ?4: after and until. ?5: the person's own endpoint. */
const NEWS_SQL = `SELECT kind, subject, atMs FROM (
    SELECT kind, subject, atMs, rank() OVER (ORDER BY atMs) AS place FROM (
    SELECT action AS kind, actor_name AS subject, at_ms AS atMs
    FROM audit_log INDEXED BY audit_log_of_access
    WHERE merchant_id = ?1 AND at_ms > ?3 AND at_ms <= ?4
      AND action IN (${ACCESS_ACTIONS.map((action) => `'${action}'`).join(', ')})
      AND coalesce(environment, ?2) = ?2 AND target IS NOT ?5
    UNION ALL
    SELECT 'endpoint_failing', coalesce(own.url, endpoint), failing_since_ms + ${FAILING_FOR_MS}
    FROM failing_endpoints AS failing LEFT JOIN webhook_endpoints AS own ON own.id = endpoint
    WHERE failing.merchant_id = ?1 AND failing.environment = ?2 AND endpoint <> ?5
      AND failing_since_ms + ${FAILING_FOR_MS} > ?3 AND failing_since_ms + ${FAILING_FOR_MS} <= ?4
    UNION ALL
    SELECT 'anomaly', coalesce(item ->> '$.payment.uniqueId', payment_uuid), item ->> '$.anomalyAtMs'
    FROM attention_item INDEXED BY attention_item_by_merchant
    WHERE merchant_id = ?1 AND environment = ?2 AND kind = 'money'
      AND item ->> '$.anomalyAtMs' > ?3 AND item ->> '$.anomalyAtMs' <= ?4
  )) WHERE place <= ${NEWS_MAX} ORDER BY atMs`;

/** Never throws: the operator's alerts must not depend on it. */
export async function tellMerchants(env: Env, nowMs: number): Promise<void> {
  try {
    const query = { sql: PEOPLE_SQL, params: [] };
    const { results: people } = await prepare(env.DB, query).all<Person>();
    // What fails for one person must not keep the others' news.
    await concurrently(people, (person) => tell(env, person, nowMs).catch(notTold));
  } catch (error) {
    notTold(error);
  }
}

function notTold(error: unknown): void {
  log('warn', 'merchants_not_told', { error: errorText(error) });
}

async function tell(env: Env, person: Person, nowMs: number): Promise<void> {
  const { endpointId, merchantId, environment, url, language, toldUntilMs } = person;
  const afterMs = Math.max(toldUntilMs, nowMs - NEWS_AGE_MS_MAX);
  const params = [merchantId, environment, afterMs, nowMs - STORED_WITHIN_MS, endpointId];
  const { results } = await prepare(env.DB, { sql: NEWS_SQL, params }).all<News>();
  const newest = results.at(-1);
  if (newest === undefined) {
    return;
  }
  const tenant = { merchantId, environment };
  const message = newsMessage(env, environment, results, language);
  const { log: sent, hasLeft = false } = await sendMessage(env, tenant, url, message);
  if (isAccepted(sent)) {
    const sql = 'UPDATE webhook_endpoints SET told_until_ms = ?2 WHERE id = ?1';
    await runBatch(env.DB, [{ sql, params: [endpointId, newest.atMs] }]);
  } else {
    const error = sent.error ?? 'not sent';
    await recordFailure(env.DB, tenant, { endpoint: endpointId, error, atMs: nowMs, hasLeft });
  }
}

function newsMessage(
  env: Env,
  environment: Environment,
  news: readonly News[],
  language: MessageLanguage,
) {
  const text = MESSAGE_TEXTS[language];
  const { backOfficeBaseUrl, publicBaseUrl } = configOf(env);
  const base = backOfficeBaseUrl ?? publicBaseUrl;
  const lines = news.map(({ kind, subject }) => {
    // The rest of a server's address may hold a secret.
    const shown = endpointOrigin(subject) ?? subject;
    return text.news[kind](withoutPhoneNumbers(shown));
  });
  const dashboard = base === null ? [] : [`${base}/dashboard/${environment}/overview`];
  return { title: text.needs, text: [text.needs, ...lines, ...dashboard].join('\n') };
}
