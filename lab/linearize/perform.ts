import type { HttpClient } from '../../scripts/gateway/http.ts';
import { type HttpAnswer, type HttpRequest, NoAnswer } from '../../scripts/gateway/http.ts';
import { abandonAttempt, checkoutPage, chooseMethod, decide, giveUp } from '../harness/customer.ts';
import type { MerchantApi } from '../harness/merchant-api.ts';
import type { Answer, CreateKind, Operation, PaymentView, RefundView, Way } from './operations.ts';

/** A server, and the merchant on whose behalf the clients act. */
export interface Target {
  readonly api: MerchantApi;
  readonly http: HttpClient;
}

/** The addresses of one payment; the pages are known once an answer has named them. */
export interface PaymentLinks {
  readonly uniqueId: string;
  readonly kind: CreateKind;
  checkout: string | null;
  /** By attempt. */
  readonly simulator: (string | undefined)[];
}

/** Longer than any history, so that payments do not expire: time does not pass in the model. */
const EXPIRY_SECONDS = 86_400;
const RETURN_URL = 'https://shop.example/thanks';
/** A Durable Object's id comes first in a link's payload, and the attempt's index next. */
const LINK_INDEX_BYTE = 32;

/** Sends one operation; null when it is unknown whether it had its effect. */
export async function performed(
  target: Target,
  links: PaymentLinks,
  operation: Operation,
): Promise<Answer | null> {
  try {
    const answer = await target.http.send(requestOf(target, links, operation));
    return answer.status === 503 ? null : answerFrom(links, operation, answer);
  } catch (error) {
    if (error instanceof NoAnswer) {
      return null;
    }
    throw error;
  }
}

function requestOf(target: Target, links: PaymentLinks, operation: Operation): HttpRequest {
  const { api } = target;
  const { uniqueId, checkout } = links;
  switch (operation.type) {
    case 'create':
      return createRequest(api, uniqueId, operation);
    case 'read':
      return api.get(`intent/${uniqueId}`);
    case 'cancel':
      return api.post(`intent/cancel/${uniqueId}`);
    case 'open_page':
      return { method: 'GET', url: `${checkout}` };
    case 'choose_method':
      return chooseMethod(`${checkout}`, { method: 'TELE_BIRR', attempts: operation.attempts });
    case 'decide':
      return decide(`${links.simulator[operation.attempt]}`, operation.choice);
    case 'abandon_attempt':
      return abandonAttempt(`${checkout}`, operation.attemptId);
    case 'give_up':
      return giveUp(`${checkout}`);
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
  express_interactive: { ...SIMULATED, testMode: { testModeType: 'ACTUAL_TEST' } },
  express_succeeds: {
    ...SIMULATED,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
  },
  express_fails: {
    ...SIMULATED,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' },
  },
};

function answerFrom(links: PaymentLinks, { type }: Operation, answer: HttpAnswer): Answer {
  const { status, headers, body } = answer;
  if (status >= 500) {
    throw new Error(`${type} was answered ${status} ${body}`);
  }
  if (headers.location !== undefined) {
    return { type: 'redirect', way: wayFrom(links, headers.location) };
  }
  if (type === 'open_page' && status === 200) {
    const { attempts, attemptId } = checkoutPage(body);
    return { type: 'page', attempts, attemptId };
  }
  if (status !== 200) {
    return { type: 'problem', status, code: codeOf(body) };
  }
  const { content }: { content: unknown } = JSON.parse(body);
  switch (type) {
    case 'create':
      learnPage(links, content as string | { paymentUrl: string });
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

/** A hosted create answers with its page, an express one with the page to continue on. */
function learnPage(links: PaymentLinks, content: string | { paymentUrl: string | null }): void {
  const url = typeof content === 'string' ? content : content.paymentUrl;
  if (url?.includes('/checkout/')) {
    links.checkout = url;
  } else if (url?.includes('/simulator/')) {
    links.simulator[attemptOf(url)] = url;
  }
}

function wayFrom(links: PaymentLinks, location: string): Way {
  const url = new URL(location, 'http://localhost');
  if (url.pathname.startsWith('/simulator/')) {
    const attempt = attemptOf(location);
    links.simulator[attempt] = location;
    return { to: 'simulator', attempt };
  }
  if (!url.pathname.startsWith('/checkout/')) {
    const status = `${url.searchParams.get('status')}`;
    return { to: 'merchant', status, transactionId: url.searchParams.get('transactionId') };
  }
  if (url.searchParams.has('leaving')) {
    return { to: 'leaving' };
  }
  if (url.searchParams.has('already')) {
    return { to: 'paid_before' };
  }
  return { to: url.search === '' ? 'page' : 'refused_form' };
}

/** The attempt that a signed link names. */
function attemptOf(url: string): number {
  const payload = url.split('/').at(-1)?.split('.')[1] ?? '';
  return Buffer.from(payload, 'base64url')[LINK_INDEX_BYTE] ?? 0;
}
