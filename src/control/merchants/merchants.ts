import * as v from 'valibot';
import { SELF_CHECK_MERCHANT_ID } from '../../engine/domain/merchant.ts';
import { METHODS, type Method } from '../../engine/domain/method.ts';
import { AMOUNT_MINOR_MAX, type CommissionRate } from '../../engine/domain/money.ts';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import {
  REFUND_AGE_DAYS_MAX,
  refundLimitsOf,
  setRefundLimits,
} from '../../engine/merchants/refund-limits.ts';
import { configuredRail } from '../../engine/rails/settings.ts';
import { insertSecret, newSecret } from '../../engine/webhooks/secret-store.ts';
import type { ChangeAction } from '../../kit/audit/actions.ts';
import { type AuditEntry, runAudited } from '../../kit/audit/log.ts';
import { isAppScheme } from '../../kit/http/app-scheme.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { listOf, stringField, wholeNumber } from '../../kit/http/fields.ts';
import { found, validationProblem } from '../../kit/http/problem.ts';
import { body } from '../../kit/http/strict-body.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { rememberJurisdiction } from '../../kit/platform/jurisdiction.ts';
import { ENVIRONMENTS } from '../../kit/tenant.ts';
import {
  type ActionCall,
  action,
  changeAudited,
  entryBy,
  type Gateway,
  type Target,
} from '../operator/call.ts';
import {
  basisPointsField,
  fixedMinorField,
  lineField,
  MERCHANT_ID,
  methodField,
  patternField,
  REASON_CHARACTERS_MAX,
} from '../operator/fields.ts';
import { operationProblem } from '../operator/problems.ts';
import { APP_SCHEMES_MAX, appSchemesOf, setAppSchemes } from './app-schemes.ts';
import { knownMerchant, type MerchantRow, merchantAt } from './merchant-rows.ts';
import { type MethodSettings, methodSettings } from './methods.ts';
import { createMerchant as newMerchant } from './provision.ts';

/** Also a constraint of the table. */
const NAME_CHARACTERS_MAX = 1_000;

const nameField = lineField(NAME_CHARACTERS_MAX);

const creationFields = body({
  name: nameField,
  /** Random when absent. */
  id: v.optional(
    patternField(MERCHANT_ID, 'Must be 1 to 64 letters, digits, hyphens and underscores.'),
  ),
  /**
   * All when absent. Offered and enabled in the sandbox, and in production if the rail's secret is
   * valid: without it the method cannot take a payment.
   */
  methods: v.optional(listOf(methodField, METHODS.length), [...METHODS]),
  /** In both environments. Methods that are not named have no commission. */
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
export const createMerchant = action(creationFields, async (call, _target, fields) => {
  const { name, id = crypto.randomUUID(), methods, commissions } = fields;
  const settings = METHODS.filter((method) => methods.includes(method)).map((method) => ({
    method,
    rate: commissions.find((commission) => commission.method === method) ?? NO_COMMISSION,
  }));
  checkCommissions(methods, commissions);
  const offered = settings.map(({ method }) => method);
  const productionMethods = offered.filter(
    (method) => configuredRail(call.env, 'production', method) !== null,
  );
  const statements = newMerchant({
    id,
    name,
    methods: settings,
    productionMethods,
    createdAtMs: call.nowMs,
  });
  const entry = entryBy<ChangeAction>(call, {
    merchantId: id,
    environment: null,
    action: 'merchant.created',
    target: id,
    detail: {
      name,
      methods: offered.join(' '),
      productionMethods: productionMethods.join(' '),
    },
  });
  if (id === SELF_CHECK_MERCHANT_ID) {
    throw operationProblem('merchant_exists', { id });
  }
  try {
    const change = [
      rememberJurisdiction(call.config.placement),
      ...statements,
      ...(await webhookSecrets(call, id)),
    ];
    await runAudited(call.env.DB, change, entry);
  } catch (error) {
    if ((await merchantAt(call.env.DB, id)) !== null) {
      throw operationProblem('merchant_exists', { id });
    }
    throw error;
  }
  return id;
});

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
  { config, nowMs }: ActionCall,
  merchantId: string,
): Promise<readonly SqlStatement[]> {
  return Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const owner = { environment, merchantId, endpointId: null };
      return insertSecret(owner, await newSecret(config, owner, nowMs), nowMs);
    }),
  );
}

/** New payments show the name within 10 s. Existing payments keep the old one. */
export const renameMerchant = change(body({ name: nameField }), ({ id, name: from }, { name }) => ({
  change: {
    sql: 'UPDATE merchants SET name = ?2 WHERE id = ?1 AND name <> ?2',
    params: [id, name],
  },
  action: 'merchant.renamed',
  detail: { from, to: name },
}));

const schemeField = v.pipe(
  stringField,
  v.check(
    isAppScheme,
    fieldError(
      'invalid_format',
      'Must be the scheme of an app, such as myshop: a lower-case letter, then lower-case letters, digits, "+", "." or "-", and none that a browser or a system reads itself.',
    ),
  ),
);

/** Replaces the schemes that a returnUrl may have besides http and https. */
export const changeAppSchemes = change(
  body({
    schemes: v.pipe(
      listOf(schemeField, APP_SCHEMES_MAX),
      v.transform((schemes) => [...new Set(schemes)]),
    ),
  }),
  async ({ id }, { schemes }, { env }) => ({
    change: setAppSchemes(id, schemes),
    action: 'merchant.app_schemes_changed',
    detail: { from: (await appSchemesOf(env.DB, id)).join(', '), to: schemes.join(', ') },
  }),
);

/** Sets both limits. */
export const changeRefundLimits = change(
  body({
    refundAgeDaysMax: wholeNumber(1, REFUND_AGE_DAYS_MAX),
    /** Null: any amount; 0: none. */
    refundDailyMaxMinor: v.nullable(wholeNumber(0, AMOUNT_MINOR_MAX)),
  }),
  ({ id }, detail) => ({
    change: setRefundLimits(id, detail),
    action: 'refund_limits.changed',
    detail,
  }),
);

/**
 * Suspends a merchant, or ends its suspension: within 10 s its keys are answered 401, or work again.
 * Payments under way continue.
 */
function statusChange(
  status: 'active' | 'suspended',
  name: 'merchant.suspended' | 'merchant.reactivated',
) {
  return change(body({ reason: lineField(REASON_CHARACTERS_MAX) }), (merchant, { reason }) => ({
    change: {
      sql: `UPDATE merchants SET status = ?2
        WHERE id = ?1 AND status <> ?2 AND closed_at_ms IS NULL`,
      params: [openMerchant(merchant).id, status],
    },
    action: name,
    detail: { reason: withoutPhoneNumbers(reason) },
  }));
}

/** Problem 409 for a closed merchant. */
function openMerchant(merchant: MerchantRow): MerchantRow {
  if (merchant.status === 'closed') {
    throw operationProblem('merchant_closed');
  }
  return merchant;
}

export const suspendMerchant = statusChange('suspended', 'merchant.suspended');
export const reactivateMerchant = statusChange('active', 'merchant.reactivated');

interface Plan extends Pick<AuditEntry<ChangeAction>, 'action' | 'detail'> {
  readonly change: SqlStatement;
}

/** One change of the merchant that the path names, with its audit entry. */
function change<Schema extends v.GenericSchema>(
  schema: Schema,
  planFor: (
    merchant: MerchantRow,
    fields: v.InferOutput<Schema>,
    call: ActionCall,
  ) => Plan | Promise<Plan>,
) {
  return action(schema, async (call, target, fields) => {
    const merchant = await knownMerchant(call, target);
    const { change: statement, ...act } = await planFor(merchant, fields, call);
    const entry = { ...act, merchantId: merchant.id, environment: null, target: merchant.id };
    return { isChanged: await changeAudited(call, statement, entry) };
  });
}

/** The merchant with methods, commissions and limits. Problem 404 for an unknown merchant. */
export async function merchantContent(call: Gateway, target: Target) {
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
    methods: methods.map(({ rate, method, offered, enabled }) => ({
      method,
      offered,
      // What the merchant chose counts only for a method that it is offered.
      enabled: offered && enabled,
      ...rate,
    })),
    limitsMinor: limits,
  };
}

export type Settings = ReturnType<typeof settingsContent>;
export type MerchantDetails = Awaited<ReturnType<typeof merchantContent>>;
