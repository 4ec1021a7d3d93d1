import * as v from 'valibot';
import type { AuditAction } from '../audit/actions.ts';
import type { Tenant } from '../domain/intent.ts';
import { AMOUNT_MINOR_MAX } from '../domain/money.ts';
import { booleanField, wholeNumber } from '../http/fields.ts';
import { body } from '../http/strict-body.ts';
import { methodSettings, offerMethod, setCommission, setLimit } from '../merchants/methods.ts';
import type { SqlStatement } from '../platform/database.ts';
import { changeAudited, type OperatorCall, type Target } from './call.ts';
import {
  basisPointsField,
  currencyField,
  environmentField,
  fixedMinorField,
  methodField,
  pathPart,
} from './fields.ts';
import { knownMerchant } from './merchant-rows.ts';
import { settingsContent } from './merchants.ts';

export const offerFields = body({ offered: booleanField });

/** Offers a method to the merchant, or withdraws it. */
export async function changeOffer(
  call: OperatorCall,
  target: Target,
  { offered }: v.InferOutput<typeof offerFields>,
) {
  const tenant = await namedTenant(call, target);
  const method = pathPart(methodField, target.method);
  return changed(call, tenant, offerMethod(tenant, method, offered), {
    action: offered ? 'method.offered' : 'method.withdrawn',
    target: method,
    detail: {},
  });
}

export const commissionFields = body({
  basisPoints: basisPointsField,
  fixedMinor: fixedMinorField,
});

/** Applies to new payments within 10 s. */
export async function changeCommission(
  call: OperatorCall,
  target: Target,
  rate: v.InferOutput<typeof commissionFields>,
) {
  const tenant = await namedTenant(call, target);
  const method = pathPart(methodField, target.method);
  return changed(call, tenant, setCommission(tenant, method, rate), {
    action: 'commission.changed',
    target: method,
    detail: rate,
  });
}

export const limitFields = body({
  amountMinorMax: v.nullable(wholeNumber(1, AMOUNT_MINOR_MAX)),
});

/** Sets the largest payment; null for only the general limit. */
export async function changeLimit(
  call: OperatorCall,
  target: Target,
  { amountMinorMax }: v.InferOutput<typeof limitFields>,
) {
  const tenant = await namedTenant(call, target);
  const currency = pathPart(currencyField, target.currency);
  return changed(call, tenant, setLimit(tenant, currency, amountMinorMax), {
    action: 'limit.changed',
    target: currency,
    detail: { amountMinorMax },
  });
}

/** Problem 404 for an unknown environment or merchant. */
async function namedTenant(call: OperatorCall, target: Target): Promise<Tenant> {
  const environment = pathPart(environmentField, target.environment);
  return { environment, merchantId: (await knownMerchant(call, target)).id };
}

/** Runs the change, and reads the settings after it. */
async function changed(
  call: OperatorCall,
  tenant: Tenant,
  change: SqlStatement,
  entry: {
    readonly action: AuditAction;
    readonly target: string;
    readonly detail: Readonly<Record<string, number | null>>;
  },
) {
  const isChanged = await changeAudited(call, change, { ...entry, ...tenant });
  const settings = settingsContent(await methodSettings(call.env.DB, tenant));
  return { isChanged, content: settings };
}
