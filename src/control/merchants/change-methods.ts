import * as v from 'valibot';
import { AMOUNT_MINOR_MAX } from '../../engine/domain/money.ts';
import type { Act } from '../../kit/audit/log.ts';
import { booleanField, wholeNumber } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import type { SqlStatement } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { action, changeAudited, type Target } from '../operator/call.ts';
import {
  basisPointsField,
  currencyField,
  environmentField,
  fixedMinorField,
  methodField,
  pathPart,
} from '../operator/fields.ts';
import { knownMerchant } from './merchant-rows.ts';
import { settingsContent } from './merchants.ts';
import { methodSettings, offerMethod, setCommission, setLimit } from './methods.ts';

/** Offers a method to the merchant, or withdraws it. */
export const changeOffer = change(
  body({ offered: booleanField }),
  (tenant, target, { offered }) => {
    const method = pathPart(methodField, target.method);
    const action = offered ? 'method.offered' : 'method.withdrawn';
    return { statement: offerMethod(tenant, method, offered), act: { action, target: method } };
  },
);

/** Applies to new payments within 10 s. */
export const changeCommission = change(
  body({ basisPoints: basisPointsField, fixedMinor: fixedMinorField }),
  (tenant, target, detail) => {
    const method = pathPart(methodField, target.method);
    const act = { action: 'commission.changed', target: method, detail } as const;
    return { statement: setCommission(tenant, method, detail), act };
  },
);

/** Sets the largest payment; null for only the general limit. */
export const changeLimit = change(
  body({ amountMinorMax: v.nullable(wholeNumber(1, AMOUNT_MINOR_MAX)) }),
  (tenant, target, detail) => {
    const currency = pathPart(currencyField, target.currency);
    const act = { action: 'limit.changed', target: currency, detail } as const;
    return { statement: setLimit(tenant, currency, detail.amountMinorMax), act };
  },
);

interface Plan {
  readonly statement: SqlStatement;
  readonly act: Act;
}

/**
 * Changes a setting of the merchant that the path names, and reads the settings after it. Problem 404
 * for an unknown environment or merchant.
 */
function change<Schema extends v.GenericSchema>(
  schema: Schema,
  planFor: (tenant: Tenant, target: Target, fields: v.InferOutput<Schema>) => Plan,
) {
  return action(schema, async (call, target, fields) => {
    const environment = pathPart(environmentField, target.environment);
    const tenant = { environment, merchantId: (await knownMerchant(call, target)).id };
    const { statement, act } = planFor(tenant, target, fields);
    const isChanged = await changeAudited(call, statement, { ...tenant, ...act });
    return { isChanged, content: settingsContent(await methodSettings(call.env.DB, tenant)) };
  });
}
