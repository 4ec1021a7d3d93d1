import * as v from 'valibot';
import { type AuditEntry, auditEntry } from '../audit/log.ts';
import { seal } from '../crypto/sealed.ts';
import { ENVIRONMENTS, METHODS, type Method } from '../domain/method.ts';
import { AMOUNT_MINOR_MAX, type CommissionRate } from '../domain/money.ts';
import { withoutPhoneNumbers } from '../domain/phone.ts';
import { isAppScheme } from '../http/app-scheme.ts';
import { fieldError } from '../http/field-error.ts';
import { listOf, stringField, wholeNumber } from '../http/fields.ts';
import { found, validationProblem } from '../http/problem.ts';
import { body } from '../http/strict-body.ts';
import { APP_SCHEMES_MAX, appSchemesOf, setAppSchemes } from '../merchants/app-schemes.ts';
import { type MethodSettings, methodSettings } from '../merchants/methods.ts';
import { addWebhookSecret, createMerchant } from '../merchants/provision.ts';
import {
  REFUND_AGE_DAYS_MAX,
  refundLimitsOf,
  setRefundLimits,
} from '../merchants/refund-limits.ts';
import { generateWebhookSecret } from '../merchants/webhook-secret.ts';
import { prepare, runBatch, type SqlStatement } from '../platform/database.ts';
import { webhookSecretContext } from '../webhooks/settings.ts';
import { changeAudited, type OperatorCall, type Target } from './call.ts';
import {
  basisPointsField,
  fixedMinorField,
  lineField,
  MERCHANT_ID,
  methodField,
  patternField,
  REASON_CHARACTERS_MAX,
} from './fields.ts';
import { knownMerchant, merchantAt } from './merchant-rows.ts';
import { operationProblem } from './problems.ts';

/** Also a constraint of the table. */
const NAME_CHARACTERS_MAX = 1_000;

const nameField = lineField(NAME_CHARACTERS_MAX);

export const creationFields = body({
  name: nameField,
  /** Random when absent. */
  id: v.optional(
    patternField(MERCHANT_ID, 'Must be 1 to 64 letters, digits, hyphens and underscores.'),
  ),
  /** Offered and enabled in both environments; all when absent. */
  methods: v.optional(listOf(methodField, METHODS.length), [...METHODS]),
  /** In both environments. No commission for methods that are not named. */
  commissions: v.optional(
    listOf(
      body({
        method: methodField,
        basisPoints: v.optional(basisPointsField, 0),
        fixedMinor: v.optional(fixedMinorField, 0),
      }),
      METHODS.length,
    ),
    [],
  ),
});

const NO_COMMISSION: CommissionRate = { basisPoints: 0, fixedMinor: 0 };

/** A merchant, its methods and a webhook secret for each environment. Answers with its id. */
export async function createNewMerchant(
  call: OperatorCall,
  _target: Target,
  { name, id: given, methods, commissions }: v.InferOutput<typeof creationFields>,
): Promise<string> {
  const id = given ?? crypto.randomUUID();
  const settings = METHODS.filter((method) => methods.includes(method)).map((method) => ({
    method,
    enabled: true,
    rate: commissions.find((commission) => commission.method === method) ?? NO_COMMISSION,
  }));
  checkCommissions(methods, commissions);
  const statements = createMerchant({
    id,
    name,
    methods: { sandbox: settings, production: settings },
    createdAtMs: call.nowMs,
  });
  const audit = auditEntry({
    actor: call.actor,
    merchantId: id,
    environment: null,
    action: 'merchant.created',
    target: id,
    detail: { name, methods: settings.map(({ method }) => method).join(' ') },
    atMs: call.nowMs,
  });
  try {
    await runBatch(call.env.DB, [...statements, ...(await webhookSecrets(call, id)), audit]);
  } catch (error) {
    if ((await merchantAt(call.env.DB, id)) !== null) {
      throw operationProblem('merchant_exists', { id });
    }
    throw error;
  }
  return id;
}

/** Rejects a commission for a method that is not offered, and two commissions for one method. */
function checkCommissions(
  methods: readonly Method[],
  commissions: readonly { readonly method: Method }[],
): void {
  const priced = commissions.map(({ method }) => method);
  const foreign = priced.find((method) => !methods.includes(method));
  if (foreign !== undefined) {
    throw validationProblem({
      commissions: fieldError('mismatch', `Names ${foreign}, which is not among the methods.`),
    });
  }
  const twice = priced.find((method, index) => priced.indexOf(method) !== index);
  if (twice !== undefined) {
    throw validationProblem({ commissions: fieldError('duplicate', `Names ${twice} twice.`) });
  }
}

/** Not in the answer, because the merchant reads the secrets in the dashboard. */
async function webhookSecrets(
  { config, nowMs }: OperatorCall,
  merchantId: string,
): Promise<readonly SqlStatement[]> {
  return Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const tenant = { environment, merchantId };
      const context = webhookSecretContext(tenant);
      return addWebhookSecret(tenant, {
        id: crypto.randomUUID(),
        sealedSecret: await seal(config.dataEncryptionKeys, generateWebhookSecret(), context),
        createdAtMs: nowMs,
        expiresAtMs: null,
      });
    }),
  );
}

export const renamingFields = body({ name: nameField });

/** New payments show the name within 10 s. Existing payments keep the old one. */
export async function renameMerchant(
  call: OperatorCall,
  target: Target,
  { name }: v.InferOutput<typeof renamingFields>,
): Promise<Change> {
  const merchant = await knownMerchant(call, target);
  const change = {
    sql: 'UPDATE merchants SET name = ?2 WHERE id = ?1 AND name <> ?2',
    params: [merchant.id, name],
  };
  const detail = { from: merchant.name, to: name };
  return runChange(call, change, { merchantId: merchant.id, action: 'merchant.renamed', detail });
}

export const appSchemeFields = body({
  schemes: v.pipe(
    listOf(
      v.pipe(
        stringField,
        v.check(
          isAppScheme,
          fieldError(
            'invalid_format',
            'Must be the scheme of an app, such as myshop: a lower-case letter, then lower-case letters, digits, "+", "." or "-", and none that a browser or a system reads itself.',
          ),
        ),
      ),
      APP_SCHEMES_MAX,
    ),
    v.transform((schemes) => [...new Set(schemes)]),
  ),
});

/** Replaces the schemes that a returnUrl may have besides http and https. */
export async function changeAppSchemes(
  call: OperatorCall,
  target: Target,
  { schemes }: v.InferOutput<typeof appSchemeFields>,
): Promise<Change> {
  const { id: merchantId } = await knownMerchant(call, target);
  const from = (await appSchemesOf(call.env.DB, merchantId)).join(', ');
  return runChange(call, setAppSchemes(merchantId, schemes), {
    merchantId,
    action: 'merchant.app_schemes_changed',
    detail: { from, to: schemes.join(', ') },
  });
}

export const refundLimitFields = body({
  refundAgeDaysMax: wholeNumber(1, REFUND_AGE_DAYS_MAX),
  /** Null: any amount; 0: none. */
  refundDailyMaxMinor: v.nullable(wholeNumber(0, AMOUNT_MINOR_MAX)),
});

/** Sets both limits. */
export async function changeRefundLimits(
  call: OperatorCall,
  target: Target,
  detail: v.InferOutput<typeof refundLimitFields>,
): Promise<Change> {
  const { id: merchantId } = await knownMerchant(call, target);
  const change = setRefundLimits(merchantId, detail);
  return runChange(call, change, { merchantId, action: 'refund_limits.changed', detail });
}

/** Why the operator changes something, for the audit log. */
export const reasonFields = body({ reason: lineField(REASON_CHARACTERS_MAX) });

/**
 * Suspends a merchant, or ends its suspension: within 10 s its keys are answered 401, or work again.
 * Payments under way continue.
 */
function statusChange(
  status: 'active' | 'suspended',
  action: 'merchant.suspended' | 'merchant.reactivated',
) {
  return async (
    call: OperatorCall,
    target: Target,
    { reason }: v.InferOutput<typeof reasonFields>,
  ): Promise<Change> => {
    const { id: merchantId } = await knownMerchant(call, target);
    const change = {
      sql: 'UPDATE merchants SET status = ?2 WHERE id = ?1 AND status <> ?2',
      params: [merchantId, status],
    };
    const detail = { reason: withoutPhoneNumbers(reason) };
    return runChange(call, change, { merchantId, action, detail });
  };
}

export const suspendMerchant = statusChange('suspended', 'merchant.suspended');
export const reactivateMerchant = statusChange('active', 'merchant.reactivated');

interface Change {
  /** False if it was so already. */
  readonly isChanged: boolean;
}

/** Runs one change of a merchant with its audit entry. */
async function runChange(
  call: OperatorCall,
  change: SqlStatement,
  entry: Pick<AuditEntry, 'action' | 'detail'> & { readonly merchantId: string },
): Promise<Change> {
  const whole = { ...entry, environment: null, target: entry.merchantId };
  return { isChanged: await changeAudited(call, change, whole) };
}

/** The merchant with methods, commissions and limits. Problem 404 for an unknown merchant. */
export async function merchantContent(call: Pick<OperatorCall, 'env' | 'nowMs'>, target: Target) {
  const merchant = await knownMerchant(call, target);
  const settingsIn = async (environment: (typeof ENVIRONMENTS)[number]) => {
    const tenant = { environment, merchantId: merchant.id };
    const settings = await methodSettings(call.env.DB, tenant);
    const keys = {
      sql: `SELECT count(*) AS keys FROM api_keys
        WHERE merchant_id = ?1 AND environment = ?2 AND revoked_at_ms IS NULL
          AND (expires_at_ms IS NULL OR expires_at_ms > ?3)`,
      params: [merchant.id, environment, call.nowMs],
    };
    const apiKeys = (await prepare(call.env.DB, keys).first<number>('keys')) ?? 0;
    return { ...settingsContent(settings), apiKeys };
  };
  return {
    ...merchant,
    appSchemes: await appSchemesOf(call.env.DB, merchant.id),
    ...found(await refundLimitsOf(call.env.DB, merchant.id)),
    sandbox: await settingsIn('sandbox'),
    production: await settingsIn('production'),
  };
}

/** Methods with their commission, and limits, of one environment. */
export function settingsContent({ methods, limits }: MethodSettings) {
  return {
    methods: methods.map(({ rate, ...method }) => ({ ...method, ...rate })),
    limitsMinor: limits,
  };
}

export type Settings = ReturnType<typeof settingsContent>;
export type MerchantDetails = Awaited<ReturnType<typeof merchantContent>>;
