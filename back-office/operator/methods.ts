import * as v from 'valibot';
import type { AuditAction } from '../../src/audit/actions.ts';
import type { SqlStatement } from '../../src/database.ts';
import type { Tenant } from '../../src/domain/intent.ts';
import { AMOUNT_MINOR_MAX } from '../../src/domain/money.ts';
import { booleanField, wholeNumber } from '../../src/http/fields.ts';
import {
  methodSettings,
  offerMethod,
  setCommission,
  setLimit,
} from '../../src/merchants/methods.ts';
import { changeAudited, changedResponse } from './audited.ts';
import type { OperatorCall } from './call.ts';
import { knownMerchant, settingsContent } from './merchants.ts';
import {
  basisPointsField,
  body,
  currencyField,
  environmentField,
  fixedMinorField,
  methodField,
  pathPart,
  readBody,
} from './schema.ts';

const offer = body({ offered: booleanField });

/** POST …/methods/{method}/offer: offers a method to the merchant, or withdraws it. */
export async function changeOffer(call: OperatorCall): Promise<Response> {
  const { offered } = await readBody(call.request, offer);
  const tenant = await namedTenant(call);
  const method = pathPart(methodField, call.params.method);
  return changed(call, tenant, offerMethod(tenant, method, offered), {
    action: offered ? 'method.offered' : 'method.withdrawn',
    target: method,
    detail: {},
  });
}

const commission = body({ basisPoints: basisPointsField, fixedMinor: fixedMinorField });

/** POST …/methods/{method}/commission: applies to new payments within 10 s. */
export async function changeCommission(call: OperatorCall): Promise<Response> {
  const rate = await readBody(call.request, commission);
  const tenant = await namedTenant(call);
  const method = pathPart(methodField, call.params.method);
  return changed(call, tenant, setCommission(tenant, method, rate), {
    action: 'commission.changed',
    target: method,
    detail: rate,
  });
}

const limit = body({ amountMinorMax: v.nullable(wholeNumber(1, AMOUNT_MINOR_MAX)) });

/** POST …/limits/{currency}: sets the largest payment; null for only the general limit. */
export async function changeLimit(call: OperatorCall): Promise<Response> {
  const { amountMinorMax } = await readBody(call.request, limit);
  const tenant = await namedTenant(call);
  const currency = pathPart(currencyField, call.params.currency);
  return changed(call, tenant, setLimit(tenant, currency, amountMinorMax), {
    action: 'limit.changed',
    target: currency,
    detail: { amountMinorMax },
  });
}

/** Problem 404 for an unknown environment or merchant. */
async function namedTenant(call: OperatorCall): Promise<Tenant> {
  const environment = pathPart(environmentField, call.params.environment);
  return { environment, merchantId: (await knownMerchant(call)).id };
}

async function changed(
  call: OperatorCall,
  tenant: Tenant,
  change: SqlStatement,
  entry: {
    readonly action: AuditAction;
    readonly target: string;
    readonly detail: Readonly<Record<string, number | null>>;
  },
): Promise<Response> {
  const isChanged = await changeAudited(call, change, { ...entry, ...tenant });
  const settings = await methodSettings(call.env.DB, tenant);
  return changedResponse(isChanged, settingsContent(settings));
}
