import type { Actor, Changing } from '../../../kit/audit/log.ts';
import { base64UrlFromBytes, sha256Hex } from '../../../kit/crypto/encoding.ts';
import { seal, unseal } from '../../../kit/crypto/sealed.ts';
import { batch, prepare, type SqlStatement } from '../../../kit/platform/database.ts';
import type { Tenant } from '../../../kit/tenant.ts';
import { configOf } from '../../config.ts';
import { addEndpointOfPerson } from '../endpoint-changes.ts';
import { type EndpointSettings, OF_SERVER } from '../endpoint-store.ts';
import { EMAIL_SCHEME, TELEGRAM_SCHEME } from '../endpoints.ts';

/**
 * Connecting a person: a member asks, Kefel makes a code, and the chat or mailbox returns it. The code
 * belongs to one merchant, environment and scope, and works once (docs/notifications.md).
 */

/** Long enough to find the phone, short enough for a link that another person sees later. */
export const CONNECTION_LIFETIME_MS = 15 * 60_000;
/** Requests of a tenant that wait at the same time. Each by e-mail sends one mail. */
const CONNECTIONS_MAX = 5;
/** Wrong codes of e-mail: of eight digits, an attacker guesses one in 20 million. */
export const CODE_TRIES_MAX = 5;
export const EMAIL_CODE_DIGITS = 8;
/** 128 random bits. Telegram takes 64 characters of base64url. */
const CODE_BYTES = 16;
const TELEGRAM_CODE = /^[\w-]{22}$/;

/** What the endpoint will have. The chat or mailbox adds its address. */
export interface AskedEndpoint
  extends Pick<EndpointSettings, 'eventTypes' | 'description' | 'paymentLinkUniqueId'>,
    Partial<Pick<EndpointSettings, 'tillId' | 'tillName'>> {
  readonly language: NonNullable<EndpointSettings['language']>;
  /** Whether the person is also told what needs the merchant. */
  readonly isToldNeeds: boolean;
}

export interface Connection {
  readonly id: string;
  /** Null for e-mail. */
  readonly code: string | null;
  readonly settings: AskedEndpoint;
  readonly address: string | null;
  readonly expiresAtMs: number;
  readonly triesLeft: number;
  /** The endpoint that it has become, or null. */
  readonly endpointId: string | null;
}

interface Row extends Tenant {
  readonly id: string;
  readonly sealedCode: string;
  readonly address: string | null;
  readonly settings: string;
  readonly actor: string;
  readonly expiresAtMs: number;
  readonly tries: number;
  readonly endpointId: string | null;
}

const COLUMNS = `id, merchant_id AS merchantId, environment, sealed_code AS sealedCode, address,
  settings, actor, expires_at_ms AS expiresAtMs, tries, endpoint_id AS endpointId`;

function contextOf({ environment, merchantId }: Tenant, id: string): string {
  return `endpoint_connection/${environment}/${merchantId}/${id}`;
}

/**
 * Stores a request and returns its id and code; null when too many of the tenant wait. `address`: null
 * for Telegram.
 */
export async function askToConnect(
  { env, tenant, actor, nowMs }: Changing,
  settings: AskedEndpoint,
  address: string | null,
): Promise<{ readonly id: string; readonly code: string } | null> {
  const id = crypto.randomUUID().replaceAll('-', '');
  const code = address === null ? randomCode() : randomDigits();
  const { merchantId, environment } = tenant;
  const keys = configOf(env).dataEncryptionKeys;
  const insert: SqlStatement = {
    sql: `INSERT INTO endpoint_connections (id, merchant_id, environment, code_digest, sealed_code,
        address, settings, actor, created_at_ms, expires_at_ms)
      SELECT ?3, ?1, ?2, ?4, ?5, ?6, ?7, ?8, ?9, ?10
      WHERE (SELECT COUNT(*) FROM endpoint_connections WHERE merchant_id = ?1 AND environment = ?2
        AND endpoint_id IS NULL) < ${CONNECTIONS_MAX}
      RETURNING id`,
    params: [
      merchantId,
      environment,
      id,
      address === null ? await sha256Hex(code) : null,
      await seal(keys, code, contextOf(tenant, id)),
      address === null ? null : EMAIL_SCHEME + address,
      JSON.stringify(settings),
      JSON.stringify(actor),
      nowMs,
      nowMs + CONNECTION_LIFETIME_MS,
    ],
  };
  const [, added] = await batch(env.DB, [purgeOf(tenant, nowMs), insert]);
  return added?.results.length === 1 ? { id, code } : null;
}

function purgeOf({ merchantId, environment }: Tenant, nowMs: number): SqlStatement {
  return {
    sql: `DELETE FROM endpoint_connections
      WHERE merchant_id = ?1 AND environment = ?2 AND expires_at_ms <= ?3`,
    params: [merchantId, environment, nowMs],
  };
}

/** For the daily run: a merchant may never ask again. */
export const PURGE_CONNECTIONS = `DELETE FROM endpoint_connections WHERE id IN (
  SELECT id FROM endpoint_connections WHERE expires_at_ms <= ?1 LIMIT ?2)`;

/** The tenant's request, or null when it is unknown or has expired. */
export async function readConnection(
  env: Env,
  tenant: Tenant,
  id: string,
  nowMs: number,
): Promise<Connection | null> {
  const { merchantId, environment } = tenant;
  const row = await prepare(env.DB, {
    sql: `SELECT ${COLUMNS} FROM endpoint_connections
      WHERE id = ?1 AND merchant_id = ?2 AND environment = ?3 AND expires_at_ms > ?4`,
    params: [id, merchantId, environment, nowMs],
  }).first<Row>();
  if (row === null) {
    return null;
  }
  const { address, expiresAtMs, endpointId, tries } = row;
  const code = address === null ? await codeOf(env, row) : null;
  const settings = JSON.parse(row.settings) as AskedEndpoint;
  const triesLeft = CODE_TRIES_MAX - tries;
  return { id, code, settings, address, expiresAtMs, triesLeft, endpointId };
}

async function codeOf(env: Env, row: Row): Promise<string> {
  const keys = configOf(env).dataEncryptionKeys;
  const code = await unseal(keys, row.sealedCode, contextOf(row, row.id));
  if (code === null) {
    throw new Error('the data key of the code is no longer configured');
  }
  return code;
}

/** What became of a code that a chat sent. */
export type ChatConnected =
  | { readonly type: 'connected'; readonly settings: AskedEndpoint; readonly tenant: Tenant }
  /** Used before, expired, or never made. `language`: of the request, if it is known. */
  | { readonly type: 'unknown' }
  | { readonly type: 'full'; readonly settings: AskedEndpoint };

/** A chat has sent a code. The same chat may send it twice: Telegram repeats updates. */
export async function connectChat(
  env: Env,
  {
    chatId,
    title,
    code,
  }: { readonly chatId: string; readonly title: string; readonly code: string },
  nowMs: number,
): Promise<ChatConnected> {
  if (!TELEGRAM_CODE.test(code)) {
    return { type: 'unknown' };
  }
  const row = await prepare(env.DB, {
    sql: `SELECT ${COLUMNS} FROM endpoint_connections
      WHERE code_digest = ?1 AND expires_at_ms > ?2 AND endpoint_id IS NULL`,
    params: [await sha256Hex(code), nowMs],
  }).first<Row>();
  if (row === null) {
    return { type: 'unknown' };
  }
  const settings = JSON.parse(row.settings) as AskedEndpoint;
  const description = settings.description === '' ? title : settings.description;
  const url = TELEGRAM_SCHEME + chatId;
  const endpointId = await become(env, row, { ...settings, description }, url, nowMs);
  const { merchantId, environment } = row;
  return endpointId === null
    ? { type: 'full', settings }
    : { type: 'connected', settings, tenant: { merchantId, environment } };
}

/** What became of a code that a member entered for an address. */
export type AddressConfirmed =
  | { readonly type: 'connected'; readonly endpointId: string }
  | { readonly type: 'wrong' | 'full' }
  /** Expired, confirmed before, or too many wrong codes. */
  | { readonly type: 'ended' };

export async function confirmAddress(
  { env, tenant, nowMs }: Changing,
  id: string,
  code: string,
): Promise<AddressConfirmed> {
  const { merchantId, environment } = tenant;
  // Counts first, so that concurrent tries cannot exceed the limit.
  const row = await prepare(env.DB, {
    sql: `UPDATE endpoint_connections SET tries = tries + 1
      WHERE id = ?1 AND merchant_id = ?2 AND environment = ?3 AND expires_at_ms > ?4
        AND endpoint_id IS NULL AND address IS NOT NULL AND tries < ${CODE_TRIES_MAX}
      RETURNING ${COLUMNS}`,
    params: [id, merchantId, environment, nowMs],
  }).first<Row>();
  if (row === null || row.address === null) {
    return { type: 'ended' };
  }
  const [right, typed] = [await codeOf(env, row), code.replaceAll(/\s/g, '')];
  if ((await sha256Hex(right)) !== (await sha256Hex(typed))) {
    return { type: 'wrong' };
  }
  const settings = JSON.parse(row.settings) as AskedEndpoint;
  const endpointId = await become(env, row, settings, row.address, nowMs);
  return endpointId === null ? { type: 'full' } : { type: 'connected', endpointId };
}

/**
 * Makes the endpoint and uses the code up in one batch, in the name of the member who asked; null when
 * the tenant has too many, or another call has used the code.
 */
async function become(
  env: Env,
  { id, merchantId, environment, actor }: Row,
  { isToldNeeds, ...asked }: AskedEndpoint,
  url: string,
  nowMs: number,
): Promise<string | null> {
  const by = { env, tenant: { merchantId, environment }, actor: JSON.parse(actor) as Actor, nowMs };
  const settings = { ...OF_SERVER, ...asked, url, isEnabled: true, signatureHeader: null };
  return addEndpointOfPerson(by, settings, id, isToldNeeds);
}

function randomCode(): string {
  return base64UrlFromBytes(crypto.getRandomValues(new Uint8Array(CODE_BYTES)));
}

function randomDigits(): string {
  // 64 bits over 10^8: no digit is likelier by more than one in 10^11.
  const [number = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return String(number % 10n ** BigInt(EMAIL_CODE_DIGITS)).padStart(EMAIL_CODE_DIGITS, '0');
}
