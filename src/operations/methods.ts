import * as v from 'valibot';
import type { AuditAction } from '../audit/actions.ts';
import type { Tenant } from '../domain/intent.ts';
import { AMOUNT_MINOR_MAX } from '../domain/money.ts';
import { booleanField, wholeNumber } from '../http/fields.ts';
import { body } from '../http/strict-body.ts';
import { methodSettings, offerMethod, setCommission, setLimit } from '../merchants/methods.ts';
import type { SqlStatement } from '../platform/database.ts';
import { action, changeAudited, type OperatorCall, type Target } from './call.ts';
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

/** Offers a method to the merchant, or withdraws it. */
export const changeOffer = action(
  body({ offered: booleanField }),
  async (call, target, { offered }) => {
    const tenant = await namedTenant(call, target);
    const method = pathPart(methodField, target.method);
    const name = offered ? 'method.offered' : 'method.withdrawn';
    return changed(call, tenant, offerMethod(tenant, method, offered), name, method, {});
  },
);

/** Applies to new payments within 10 s. */
export const changeCommission = action(
  body({ basisPoints: basisPointsField, fixedMinor: fixedMinorField }),
  async (call, target, rate) => {
    const tenant = await namedTenant(call, target);
    const method = pathPart(methodField, target.method);
    const change = setCommission(tenant, method, rate);
    return changed(call, tenant, change, 'commission.changed', method, rate);
  },
);

/** Sets the largest payment; null for only the general limit. */
export const changeLimit = action(
  body({ amountMinorMax: v.nullable(wholeNumber(1, AMOUNT_MINOR_MAX)) }),
  async (call, target, detail) => {
    const tenant = await namedTenant(call, target);
    const currency = pathPart(currencyField, target.currency);
    const change = setLimit(tenant, currency, detail.amountMinorMax);
    return changed(call, tenant, change, 'limit.changed', currency, detail);
  },
);

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
  name: AuditAction,
  target: string,
  detail: Readonly<Record<string, number | null>>,
) {
  const entry = { ...tenant, action: name, target, detail };
  const isChanged = await changeAudited(call, change, entry);
  return { isChanged, content: settingsContent(await methodSettings(call.env.DB, tenant)) };
}
