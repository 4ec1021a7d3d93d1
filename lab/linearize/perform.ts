import type { HttpClient } from '../../scripts/gateway/http.ts';
import { type HttpAnswer, type HttpRequest, NoAnswer } from '../../scripts/gateway/http.ts';
import type { MerchantApi } from '../harness/merchant-api.ts';
import type { Answer, CreateKind, Operation, PaymentView, RefundView } from './operations.ts';

/** A server, and the merchant on whose behalf the clients act. */
export interface Target {
  readonly api: MerchantApi;
  readonly http: HttpClient;
}

/** What its creations name. */
export interface NamedPayment {
  readonly uniqueId: string;
  readonly kind: CreateKind;
}

/** Longer than any history, so that payments do not expire: time does not pass in the model. */
const EXPIRY_SECONDS = 86_400;
const RETURN_URL = 'https://shop.example/thanks';

/** Sends one operation; null when it is unknown whether it had its effect. */
export async function performed(
  target: Target,
  payment: NamedPayment,
  operation: Operation,
): Promise<Answer | null> {
  try {
    const answer = await target.http.send(requestOf(target, payment, operation));
    return answer.status === 503 ? null : answerFrom(operation, answer);
  } catch (error) {
    if (error instanceof NoAnswer) {
      return null;
    }
    throw error;
  }
}

function requestOf({ api }: Target, { uniqueId }: NamedPayment, operation: Operation): HttpRequest {
  switch (operation.type) {
    case 'create':
      return createRequest(api, uniqueId, operation);
    case 'read':
      return api.get(`intent/${uniqueId}`);
    case 'cancel':
      return api.post(`intent/cancel/${uniqueId}`);
    case 'request_refund': {
      const { refundId, amountMinor } = operation;
      const body = {
        paymentIntentUniqueId: uniqueId,
        refundUniqueId: refundId,
        ...(amountMinor !== null && { amountMinor }),
      };
      return api.postJson('refund', body);
    }
    case 'cancel_refund':
      return api.post(`refund/${operation.refundId}/cancel`);
    case 'read_refund':
      return api.get(`refund/${operation.refundId}`);
  }
}

function createRequest(
  api: MerchantApi,
  uniqueId: string,
  { kind, amountMinor, idempotencyKey }: Extract<Operation, { type: 'create' }>,
): HttpRequest {
  const body = {
    paymentIntentUniqueId: uniqueId,
    currency: 'ETB',
    amount: amountMinor / 100,
    commissionPaidByCustomer: false,
    expireIn: EXPIRY_SECONDS,
    returnUrl: RETURN_URL,
    ...OWN_FIELDS[kind],
  };
  const key = idempotencyKey && `${uniqueId}-${idempotencyKey}`;
  return api.postJson(kind === 'hosted' ? 'intent' : 'express/pay', body, key);
}

const SIMULATED = { method: 'TELE_BIRR', phoneNumber: '0911223344' };
const OWN_FIELDS: Readonly<Record<CreateKind, object>> = {
  hosted: { methods: ['TELE_BIRR'] },
  express_succeeds: {
    ...SIMULATED,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
  },
  express_fails: {
    ...SIMULATED,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' },
  },
};

function answerFrom({ type }: Operation, answer: HttpAnswer): Answer {
  const { status, headers, body } = answer;
  if (status >= 500) {
    throw new Error(`${type} was answered ${status} ${body}`);
  }
  if (status !== 200) {
    return { type: 'problem', status, code: codeOf(body) };
  }
  const { content }: { content: unknown } = JSON.parse(body);
  switch (type) {
    case 'create':
      return { type: 'created', isReplay: headers['idempotent-replayed'] === 'true', body };
    case 'read':
    case 'cancel':
      return { type: 'payment', payment: content as PaymentView };
    default:
      return { type: 'refund', refund: content as RefundView };
  }
}

function codeOf(body: string): string {
  try {
    return String((JSON.parse(body) as { code?: unknown }).code);
  } catch {
    return body.slice(0, 200);
  }
}
