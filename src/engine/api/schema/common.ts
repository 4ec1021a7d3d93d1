import type * as v from 'valibot';
import { fieldError } from '../../../kit/http/field-error.ts';
import { booleanField, oneOf, wholeNumber } from '../../../kit/http/fields.ts';
import { callbackUrlField } from '../../../kit/http/url-fields.ts';
import { CURRENCIES } from '../../../kit/money.ts';
import type { Method } from '../../domain/method.ts';
import type { IntentKind, MethodTerms } from '../../domain/terms.ts';
import type { PaymentOrder, Validated, ValidationContext } from './context.ts';
import { idField, moneyField, optional, optionalUrl, uniqueIdField } from './fields.ts';
import { checkLimit, itemAmountsPart, itemsField, type Total, totalOf } from './items.ts';
import { metadataField } from './metadata.ts';
import { acceptedMethods, affordable, methodTerms } from './methods.ts';
import { type Parts, Problems, validParts } from './problems.ts';
import { checkSplits, splitsField, splitValuesPart, withShares } from './splits.ts';
import { type OtherFields, unknownFieldWarnings } from './unknown-fields.ts';

const callbackField = optionalUrl(callbackUrlField);

/** The fields that hosted and express requests share. */
export function commonFields(context: ValidationContext) {
  return {
    amount: optional(moneyField),
    items: itemsField,
    currency: oneOf(CURRENCIES),
    paymentIntentUniqueId: uniqueIdField,
    paymentLinkUniqueId: optional(idField),
    splitPayment: splitsField(context.banks),
    expireIn: expireInField(context),
    callbackUrl: callbackField,
    refundEvents: optional(booleanField),
    commissionPaidByCustomer: booleanField,
    metadata: metadataField(context.environment),
  };
}

/** The fields that only the other kind of request has. */
export const ONLY_HOSTED: OtherFields = {
  kind: 'hosted',
  paths: ['methods', 'customerInfo.isPhoneUpdatable'],
};
export const ONLY_EXPRESS: OtherFields = {
  kind: 'express',
  paths: ['method', 'telebirrForm', 'phoneNumber', 'debitAccount', 'description', 'testMode'],
};

/** The fields that rules across fields read. */
export const COMMON_PARTS = {
  amount: optional(moneyField),
  items: itemAmountsPart,
  currency: oneOf(CURRENCIES),
  splitPayment: splitValuesPart,
  commissionPaidByCustomer: booleanField,
  callbackUrl: callbackField,
};

function expireInField({ expireInSecondsMin, expireInSecondsMax }: ValidationContext) {
  return wholeNumber(expireInSecondsMin, expireInSecondsMax, ' of seconds');
}

/** What the common rules decide; null and empty where an invalid field leaves it unknown. */
export interface CommonTerms {
  readonly total: Total | null;
  readonly methods: readonly MethodTerms[];
  readonly isCallbackIgnored: boolean;
}

/** The rules that hosted and express requests share: on money across fields, and on the callbackUrl. */
export function checkCommon(
  kind: IntentKind,
  parts: Parts<typeof COMMON_PARTS>,
  methods: readonly Method[] | undefined,
  lockedPhone: string | null,
  context: ValidationContext,
  problems: Problems,
): CommonTerms {
  const total = totalOf(kind, parts.amount, parts.items, problems);
  checkLimit(total, parts.amount, parts.currency, context.limits, problems);
  const amountPath = parts.amount === null ? 'items' : 'amount';
  const amountMinor = total?.amountMinor ?? null;
  const accepted = acceptedMethods(
    methods ?? [],
    { currency: parts.currency, amountMinor, amountPath, lockedPhone },
    context,
    problems,
  );
  const terms =
    total === null
      ? []
      : methodTerms(accepted, total.amountMinor, parts.commissionPaidByCustomer === true, context);
  const isBorne = parts.commissionPaidByCustomer === false;
  const borne = isBorne ? affordable(terms, amountMinor ?? 0, amountPath, problems) : [];
  checkSplits(
    parts.splitPayment ?? [],
    amountMinor,
    borne.map(({ commissionMinor }) => commissionMinor),
    problems,
  );
  return {
    total,
    methods: isBorne ? borne : terms,
    isCallbackIgnored: checkCallback(parts.callbackUrl ?? null, context, problems),
  };
}

/** True when the gateway takes the callbackUrl and sends nothing there (docs/decisions.md#12). */
function checkCallback(
  callbackUrl: string | null,
  { callbackUse }: ValidationContext,
  problems: Problems,
): boolean {
  const use = callbackUrl === null ? 'sends' : callbackUse(callbackUrl);
  if (typeof use === 'object') {
    const text = `No webhook can be sent there: ${use.refusal}.`;
    problems.add('callbackUrl', fieldError('undeliverable', text));
  } else if (use === 'ignores') {
    problems.warn(
      'callbackUrl',
      'begins with http://, and Kefel sends webhooks to https:// only: the events of this payment ' +
        'go to your webhook endpoints instead. Use https.',
    );
  }
  return use === 'ignores';
}

/**
 * Checks the fields of a body, then the rules across fields. The rules also run on a body with
 * invalid fields, on its valid parts, so that one answer names all errors (docs/decisions.md#10).
 */
export function checkBody<
  const Schema extends v.GenericSchema,
  const Entries extends v.ObjectEntries,
>(
  body: unknown,
  schema: Schema,
  entries: Entries,
  rules: (parts: Parts<Entries>, problems: Problems) => CommonTerms,
  orderOf: (values: v.InferOutput<Schema>, terms: KnownTerms) => PaymentOrder,
  others: OtherFields,
): Validated<PaymentOrder> {
  const problems = new Problems();
  const values = problems.check(schema, body);
  const parts = values === undefined ? validParts(entries, body) : (values as Parts<Entries>);
  const { total, ...terms } = rules(parts, problems);
  const warnings = [...problems.warnings, ...unknownFieldWarnings(schema, body, others)];
  if (values === undefined || total === null || problems.found) {
    return { ok: false, errors: problems.toErrors(), warnings };
  }
  const order = orderOf(values, { total, ...terms });
  return { ok: true, value: order, warnings: [...warnings, ...doubts(order)] };
}

const MINUTE_MS = 60_000;

/** Warnings of valid values that are probably mistakes. */
function doubts({ uniqueId, expireInSeconds: expireIn }: PaymentOrder): string[] {
  const isTrimmed = uniqueId === uniqueId.trim();
  const id = 'paymentIntentUniqueId begins or ends with a blank: without it, it is another id.';
  const time =
    `expireIn is in seconds, and ${expireIn} looks like milliseconds: ` +
    `for ${expireIn / MINUTE_MS} min send ${expireIn / 1_000}.`;
  return [...(isTrimmed ? [] : [id]), ...(expireIn % MINUTE_MS === 0 ? [time] : [])];
}

type KnownTerms = CommonTerms & { readonly total: Total };

type CommonValues = v.InferOutput<
  ReturnType<typeof v.object<ReturnType<typeof commonFields>, undefined>>
>;

/** The shared part of a valid order. */
export function commonOrder(
  values: CommonValues,
  { total, methods, isCallbackIgnored }: KnownTerms,
) {
  return {
    uniqueId: values.paymentIntentUniqueId,
    paymentLinkUniqueId: values.paymentLinkUniqueId,
    amountMinor: total.amountMinor,
    currency: values.currency,
    methods,
    items: values.items,
    itemPriceBasis: total.itemPriceBasis,
    splits: withShares(values.splitPayment, total.amountMinor),
    commissionPaidByCustomer: values.commissionPaidByCustomer,
    callbackUrl: values.callbackUrl,
    isCallbackIgnored,
    refundEvents: values.refundEvents ?? false,
    expireInSeconds: values.expireIn,
    metadata: values.metadata,
  } satisfies Partial<PaymentOrder>;
}
