import * as v from 'valibot';
import { auditEntry } from '../../src/audit/log.ts';
import { seal } from '../../src/crypto/sealed.ts';
import { prepare, runBatch, type SqlStatement } from '../../src/database.ts';
import { ENVIRONMENTS, METHODS, type Method } from '../../src/domain/method.ts';
import type { CommissionRate } from '../../src/domain/money.ts';
import { withoutPhoneNumbers } from '../../src/domain/phone.ts';
import { isAppScheme } from '../../src/http/app-scheme.ts';
import { successResponse } from '../../src/http/envelope.ts';
import { fieldError } from '../../src/http/field-error.ts';
import { listOf, oneOf, stringField } from '../../src/http/fields.ts';
import { found, validationProblem } from '../../src/http/problem.ts';
import { APP_SCHEMES_MAX, appSchemesOf, setAppSchemes } from '../../src/merchants/app-schemes.ts';
import { type MethodSettings, methodSettings } from '../../src/merchants/methods.ts';
import { addWebhookSecret, createMerchant } from '../../src/merchants/provision.ts';
import { refundLimitsOf } from '../../src/merchants/refund-limits.ts';
import { generateWebhookSecret } from '../../src/merchants/webhook-secret.ts';
import { webhookSecretContext } from '../../src/webhooks/settings.ts';
import { changeAudited, changedResponse } from './audited.ts';
import type { OperatorCall } from './call.ts';
import { merchantAt, merchantPage } from './merchant-rows.ts';
import { pageEntries } from './page-query.ts';
import { operatorProblem } from './problems.ts';
import {
  basisPointsField,
  body,
  fixedMinorField,
  lineField,
  MERCHANT_ID,
  methodField,
  patternField,
  readBody,
  readQuery,
} from './schema.ts';

/** Also a constraint of the table. */
const NAME_CHARACTERS_MAX = 1_000;
/** A sentence or two for the audit log. */
export const REASON_CHARACTERS_MAX = 500;

const nameField = lineField(NAME_CHARACTERS_MAX);

const creation = body({
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

/** POST …/merchants: a merchant, its methods and a webhook secret for each environment. */
export async function createNewMerchant(call: OperatorCall): Promise<Response> {
  const { name, id: given, methods, commissions } = await readBody(call.request, creation);
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
    if ((await merchantAt(call.env, id)) !== null) {
      throw operatorProblem('merchant_exists', { id });
    }
    throw error;
  }
  return successResponse('Merchant created', await merchantContent(call, id));
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

const listing = body({
  ...pageEntries,
  status: v.optional(oneOf(['active', 'suspended'])),
});

/** GET …/merchants: newest first. */
export async function listMerchants(call: OperatorCall): Promise<Response> {
  const { cursor = null, limit, status = null } = readQuery(call.url, listing);
  return successResponse('Merchants', await merchantPage(call.env, { status, cursor, limit }));
}

/** GET …/merchants/{id} with methods, commissions and limits of both environments. */
export async function readMerchant(call: OperatorCall): Promise<Response> {
  return successResponse('Merchant', await merchantContent(call, call.params.merchantId));
}

const renaming = body({ name: nameField });

/** POST …/rename. New payments show the name within 10 s. Existing payments keep the old one. */
export async function renameMerchant(call: OperatorCall): Promise<Response> {
  const { name } = await readBody(call.request, renaming);
  const merchant = await knownMerchant(call);
  const change = {
    sql: 'UPDATE merchants SET name = ?2 WHERE id = ?1 AND name <> ?2',
    params: [merchant.id, name],
  };
  const detail = { from: merchant.name, to: name };
  const isChanged = await runChange(call, change, 'merchant.renamed', detail);
  return changedResponse(isChanged, await merchantContent(call, merchant.id));
}

const appSchemes = body({
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

/** POST …/app-schemes: replaces the schemes that a returnUrl may have besides http and https. */
export async function changeAppSchemes(call: OperatorCall): Promise<Response> {
  const { schemes } = await readBody(call.request, appSchemes);
  const { id } = await knownMerchant(call);
  const from = (await appSchemesOf(call.env.DB, id)).join(', ');
  const isChanged = await runChange(
    call,
    setAppSchemes(id, schemes),
    'merchant.app_schemes_changed',
    { from, to: schemes.join(', ') },
  );
  return changedResponse(isChanged, await merchantContent(call, id));
}

/** Why the operator changes something, for the audit log. */
export const reasonFields = body({ reason: lineField(REASON_CHARACTERS_MAX) });

/** POST …/suspend */
export function suspendMerchant(call: OperatorCall): Promise<Response> {
  return answerStatusChange(call, 'suspended');
}

/** POST …/reactivate */
export function reactivateMerchant(call: OperatorCall): Promise<Response> {
  return answerStatusChange(call, 'active');
}

async function answerStatusChange(
  call: OperatorCall,
  status: 'active' | 'suspended',
): Promise<Response> {
  const isChanged = await changeStatus(call, status, await readBody(call.request, reasonFields));
  return changedResponse(isChanged, await merchantContent(call, call.params.merchantId));
}

/**
 * Suspends the merchant that the path names, or ends its suspension: within 10 s its keys are
 * answered 401, or work again. Payments under way continue. False if it had the status already.
 */
export function changeStatus(
  call: OperatorCall,
  status: 'active' | 'suspended',
  { reason }: v.InferOutput<typeof reasonFields>,
): Promise<boolean> {
  const change = {
    sql: 'UPDATE merchants SET status = ?2 WHERE id = ?1 AND status <> ?2',
    params: [call.params.merchantId ?? '', status],
  };
  const action = status === 'suspended' ? 'merchant.suspended' : 'merchant.reactivated';
  return runChange(call, change, action, { reason: withoutPhoneNumbers(reason) });
}

/** Runs one change of a merchant with its audit entry. Problem 404 for an unknown merchant. */
async function runChange(
  call: OperatorCall,
  change: SqlStatement,
  action:
    | 'merchant.renamed'
    | 'merchant.app_schemes_changed'
    | 'merchant.suspended'
    | 'merchant.reactivated',
  detail: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { id } = await knownMerchant(call);
  const entry = { merchantId: id, environment: null, action, target: id, detail };
  return changeAudited(call, change, entry);
}

/** The merchant that the path names. Problem 404 when there is none. */
export async function knownMerchant({ env, params }: OperatorCall) {
  const id = params.merchantId ?? '';
  return found(MERCHANT_ID.test(id) ? await merchantAt(env, id) : null);
}

/** The merchant with methods, commissions and limits. Problem 404 for an unknown id. */
export async function merchantContent(call: OperatorCall, id: string | undefined) {
  const merchant = await knownMerchant({ ...call, params: { merchantId: id ?? '' } });
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
