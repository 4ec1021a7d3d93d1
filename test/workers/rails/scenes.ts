import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Method } from '../../../src/engine/domain/method.ts';
import type { IntentClient } from '../../../src/engine/intent/client.ts';
import { hashOf, sealOf } from '../../../src/engine/rails/cbe-birr/seal.ts';
import { canonicalText, signer } from '../../../src/engine/rails/telebirr-h5/signature.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import mpesaFailed from '../../fixtures/rails/mpesa/callback_fail.json' with { type: 'json' };
import mpesaPaid from '../../fixtures/rails/mpesa/callback_success.json' with { type: 'json' };
import mpesaTaken from '../../fixtures/rails/mpesa/stk_response.json' with { type: 'json' };
import telebirr from '../../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };
import ussdTaken from '../../fixtures/rails/telebirr-ussd/ack.xml?raw';
import ussdPaid from '../../fixtures/rails/telebirr-ussd/result.xml?raw';
import worker from '../../support/gateway.ts';
import { call, ORIGIN } from '../support.ts';
import {
  AMOUNT_MINOR,
  attemptNow,
  CARDS,
  callbackPath,
  clientIn,
  EBIRR,
  ebirrReport,
  MPESA,
  NBG,
  PHONE,
  payExpress,
  type RailCall,
  railServer,
  report,
} from './support.ts';

/** Each rail that sends reports, played up to a payment in flight and its report. */

/** CBE's account, and the secret with which both sides seal. */
export function cbe(environment: Environment) {
  return {
    baseUrl: `https://${environment}.cbe.rail.test`,
    user: `${environment}-user`,
    password: `${environment}-password`,
    tillCode: environment === 'production' ? '001001' : '009009',
    secret: `the secret of ${environment}, which nobody may see`,
    paidStates: ['SUCCESS'],
    failedStates: ['FAILED', 'CANCELLED'],
    transactionIdCharactersMax: 79,
  };
}

/** A number of Safaricom Ethiopia. */
export const MPESA_PHONE = '251711223344';

export const TELEBIRR = {
  apiBaseUrl: 'https://telebirr.rail.test',
  webPageUrl: 'https://telebirr.rail.test/paygate',
  fabricAppId: 'c4182ef8-9249-458a-985e-06d191f4d505',
  appSecret: 'app-secret-of-telebirr',
  merchantAppId: '1072905731584000',
  merchantCode: '200001',
  merchantPrivateKey: telebirr.merchantKey.pkcs8_b64_der,
  telebirrPublicKey: telebirr.platformKey.spki_b64_der,
};
export const TELEBIRR_USSD = {
  relayUrl: 'https://ussd.rail.test/relay',
  thirdPartyId: 'THIRDPARTY',
  password: 'ussd-password-nobody-may-see',
  operatorId: 'OPERATOR',
  securityCredential: 'ussd-credential-nobody-may-see',
  shortCode: '200001',
  resultToken: 'ussd-result-token-nobody-may-see-0123456789',
};

/** EthSwitch's two gateways share one secret per environment: NBG has the sandbox's. */
export const SCENE_SECRETS = {
  RAIL_E_BIRR_PRODUCTION: EBIRR,
  RAIL_M_PESA_PRODUCTION: MPESA,
  RAIL_ETS_SWITCH_PRODUCTION: CARDS,
  RAIL_ETS_SWITCH_SANDBOX: NBG,
  RAIL_TELE_BIRR_PRODUCTION: TELEBIRR,
  RAIL_TELE_BIRR_USSD_PRODUCTION: TELEBIRR_USSD,
  RAIL_CBE_PRODUCTION: cbe('production'),
  RAIL_CBE_SANDBOX: cbe('sandbox'),
};

/** How a payment ends at its provider. */
export type Fate = 'paid' | 'failed' | 'undecided';

let fate: Fate = 'undecided';
let isPaidAgain = false;

/** From now on, providers report another payment of the same order. */
export function payAgain(): void {
  isPaidAgain = true;
}

/** The receipt of the first payment, or of the second one. */
function receiptNow(first: string): string {
  return isPaidAgain ? `${first.slice(0, -2)}22` : first;
}

/** Plays all providers at once. Those with a status query know nothing until one reports. */
export function playRails(onCall: () => void = () => undefined): RailCall[] {
  fate = 'undecided';
  isPaidAgain = false;
  return railServer((asked) => {
    onCall();
    return answerTo(asked);
  });
}

/** The outcome of payments, before their provider reports it. */
export function decideAtRails(decided: Fate): void {
  fate = decided;
}

async function answerTo({ url, text }: RailCall): Promise<Response> {
  const form = new URLSearchParams(text);
  switch (new URL(url).pathname.split('/').at(-1)) {
    case 'generate':
      return Response.json({ access_token: 'token', token_type: 'Bearer', expires_in: '3599' });
    case 'processrequest': {
      const { MerchantRequestID } = JSON.parse(text);
      return Response.json({ ...mpesaTaken, MerchantRequestID });
    }
    case 'register.do': {
      const orderId = `e-${form.get('orderNumber')}`;
      return Response.json({ orderId, formUrl: `${CARDS.baseUrl}/page?mdOrder=${orderId}` });
    }
    case 'getOrderStatusExtended.do':
      return Response.json({
        orderNumber: form.get('orderId')?.slice('e-'.length),
        amount: AMOUNT_MINOR,
        ...CARDS_STATE[fate],
        authRefNum: receiptNow('632509123456'),
      });
    case 'login':
      return Response.json({ access_token: 'token', expires_in: 3_600 });
    case 'handle': {
      const { merchant_order_number } = JSON.parse(text);
      const order_reference = `n-${merchant_order_number}`;
      return Response.json({ order_reference, hpp_url: `${NBG.baseUrl}/pay/${order_reference}` });
    }
    case 'TXNSTAT':
      return cbeAnswer({ url, text }, CBE_STATE[fate]);
    case 'token':
      return Response.json({ token: 'Bearer telebirr' });
    case 'preOrder':
      return telebirrAnswer({ prepay_id: 'prepay', ...orderIn(text) });
    case 'queryOrder':
      return telebirrAnswer({
        ...orderIn(text),
        ...TELEBIRR_AMOUNT,
        order_status: TELEBIRR_STATE[fate],
        trans_id: receiptNow('49485948475845'),
      });
    case 'relay':
      return new Response(ussdAbout(ussdTaken, ussdOrderIn(text)));
    // A merchant's server, and its webhooks.
    case 'hook':
      return new Response();
    default:
      throw new Error(`an unexpected call of ${url}`);
  }
}

const CARDS_STATE: Readonly<Record<Fate, object>> = {
  paid: { orderStatus: 2 },
  // No retries.
  failed: { orderStatus: 6, actionCode: -2_013 },
  undecided: { orderStatus: 0 },
};

const CBE_STATE: Readonly<Record<Fate, string>> = {
  paid: 'SUCCESS',
  failed: 'FAILED',
  undecided: 'PENDING',
};

const TELEBIRR_STATE: Readonly<Record<Fate, string>> = {
  paid: 'PAY_SUCCESS',
  failed: 'PAY_FAILED',
  undecided: 'WAIT_PAY',
};

const TELEBIRR_AMOUNT = {
  total_amount: (AMOUNT_MINOR / 100).toFixed(2),
  trans_currency: 'ETB',
};

function orderIn(text: string): object {
  const { merch_order_id } = JSON.parse(text).biz_content;
  return { merch_order_id };
}

function telebirrAnswer(biz_content: object): Response {
  return Response.json({ result: 'SUCCESS', code: '0', msg: 'success', biz_content });
}

/** telebirr's signed notification about an attempt. */
export async function telebirrReport(
  { reference }: Pick<Attempt, 'reference'>,
  outcome: 'paid' | 'failed',
): Promise<object> {
  const fields = {
    ...telebirr.notify.body,
    merch_order_id: reference,
    ...TELEBIRR_AMOUNT,
    trade_status: outcome === 'paid' ? 'Completed' : 'Expired',
  };
  const sign = signer(telebirr.platformKey.pkcs8_b64_der, 'pss32');
  return { ...fields, sign: await sign(canonicalText(fields)) };
}

function ussdOrderIn(text: string): string {
  return /OriginatorConversationID>([^<]*)</.exec(text)?.[1] ?? '';
}

/** A message of telebirr USSD's, about this order. */
function ussdAbout(message: string, reference: string): string {
  return message.replace('ORDER0001', reference);
}

export function ussdReport({ reference }: Attempt, outcome: 'paid' | 'failed'): string {
  const code = outcome === 'paid' ? '0' : 'X200';
  return ussdAbout(ussdPaid, reference)
    .replace('ResultCode>0<', `ResultCode>${code}<`)
    .replace('AJH40OGEZK', receiptNow('AJH40OGEZK'));
}

const CBE_DATE = '21-11-2026';

/** CBE's answer to a status query. */
export async function cbeAnswer(
  { url, text }: Pick<RailCall, 'url' | 'text'>,
  state: string,
): Promise<Response> {
  const environment = url.startsWith(cbe('sandbox').baseUrl) ? 'sandbox' : 'production';
  const { secret, tillCode } = cbe(environment);
  const { transactionId } = JSON.parse(text);
  const Signiture = await hashOf({
    Key: secret,
    State: state,
    TNDDate: CBE_DATE,
    Tillcode: tillCode,
    TransactionId: transactionId,
  });
  const fields = { TransactionId: transactionId, State: state, TNDDate: CBE_DATE };
  return Response.json({
    EncryptedResponseValue: (await sealOf(secret)).seal(
      JSON.stringify({ Tillcode: tillCode, ...fields, Signiture }),
    ),
  });
}

/** The body of CBE's report of a transaction. */
export async function cbeReport(
  transactionId: string,
  {
    secret = cbe('production').secret,
    state = 'SUCCESS',
  }: { readonly secret?: string; readonly state?: string } = {},
): Promise<{ EncVal: string }> {
  const Signiture = await hashOf({ key: secret, state, TNDDate: CBE_DATE, transactionId });
  const plain = { TransactionId: transactionId, State: state, TNDDate: CBE_DATE, Signiture };
  return { EncVal: (await sealOf(secret)).seal(JSON.stringify(plain)) };
}

/** M-PESA's report about an attempt. */
export function mpesaReport(
  { reference: MerchantRequestID }: Attempt,
  outcome: 'paid' | 'failed',
): object {
  const { stkCallback } = (outcome === 'paid' ? mpesaPaid : mpesaFailed).Envelope.Body;
  const metadata =
    'CallbackMetadata' in stkCallback
      ? {
          CallbackMetadata: {
            Item: [
              { Name: 'Amount', Value: AMOUNT_MINOR / 100 },
              { Name: 'MpesaReceiptNumber', Value: receiptNow('TIN8ABCDEF') },
            ],
          },
        }
      : {};
  return {
    Envelope: { Body: { stkCallback: { ...stkCallback, MerchantRequestID, ...metadata } } },
  };
}

export function nbgReport({ reference }: Attempt, outcome: 'paid' | 'failed'): object {
  return {
    status: outcome === 'paid' ? 'PAID' : 'FAILED',
    transaction_id: receiptNow('PAY261121090312345'),
    data: {
      request_id: reference,
      bill_info: { currency: 'ETB', totalAmount: AMOUNT_MINOR / 100 },
    },
  };
}

/** eBirr's report of a customer who declined. */
export function ebirrRefusal({ reference }: Attempt): object {
  return {
    referenceId: reference,
    responseCode: '5310',
    errorCode: '5310',
    responseMsg: 'RCS_USER_REJECTED',
  };
}

export interface CallbackAnswer {
  readonly status: number;
  readonly text: string;
}

export interface Scene {
  readonly railId: string;
  readonly payment: () => IntentClient;
  /** Puts an express payment in flight, as `order-1`. After `playRails`. */
  readonly begin: () => Promise<unknown>;
  /**
   * Prepares the provider's report of the outcome; calling it sends the report and returns the
   * answer.
   */
  readonly prepareReport: (outcome: 'paid' | 'failed') => Promise<() => Promise<CallbackAnswer>>;
  /** Sends the provider's report at once. */
  readonly report: (outcome: 'paid' | 'failed') => Promise<CallbackAnswer>;
}

function scene(
  railId: string,
  method: Method,
  sends: (attempt: Attempt, outcome: 'paid' | 'failed', path: string) => Promise<CallbackAnswer>,
  { environment = 'production', phone = PHONE }: { environment?: Environment; phone?: string } = {},
): Scene {
  const payment = () => clientIn(environment);
  const testMode = { testModeType: 'ACTUAL_TEST' };
  const prepareReport: Scene['prepareReport'] = async (outcome) => {
    decideAtRails(outcome);
    const attempt = await attemptNow(payment());
    const path = await callbackPath(railId, payment());
    return () => sends(attempt, outcome, path);
  };
  return {
    railId,
    payment,
    begin: () => payExpress({ method, phoneNumber: phone, testMode }, environment),
    prepareReport,
    report: async (outcome) => (await prepareReport(outcome))(),
  };
}

async function byGet(path: string): Promise<CallbackAnswer> {
  const response = await call(path, { apiKey: null });
  return { status: response.status, text: await response.text() };
}

const cardsWords = ({ reference, railReference }: Attempt) =>
  `orderNumber=${reference}&mdOrder=${railReference}&operation=deposited&status=1`;

export const SCENES: readonly Scene[] = [
  scene('ebirr', 'E_BIRR', (attempt, outcome, path) =>
    report(
      path,
      outcome === 'paid'
        ? ebirrReport(attempt, {
            transactionId: receiptNow('1000001'),
            issuerTransactionId: receiptNow('2000001'),
          })
        : ebirrRefusal(attempt),
    ),
  ),
  scene(
    'stk-push',
    'M_PESA',
    (attempt, outcome, path) => report(path, mpesaReport(attempt, outcome)),
    { phone: MPESA_PHONE },
  ),
  scene('ethswitch-cards', 'ETS_SWITCH', (attempt, _said, path) =>
    byGet(`${path}?${cardsWords(attempt)}`),
  ),
  scene(
    'ethswitch-nbg',
    'ETS_SWITCH',
    (attempt, outcome, path) => report(path, nbgReport(attempt, outcome)),
    {
      environment: 'sandbox',
    },
  ),
  scene('cbe-birr', 'CBE', async ({ railReference }, outcome) =>
    report('/rails/cbe-birr', await cbeReport(railReference ?? '', { state: CBE_STATE[outcome] })),
  ),
  scene('telebirr-h5', 'TELE_BIRR', async (attempt, outcome, path) =>
    report(path, await telebirrReport(attempt, outcome)),
  ),
  scene('telebirr-ussd', 'TELE_BIRR_USSD', (attempt, outcome, path) =>
    report(path, ussdReport(attempt, outcome), {
      authorization: `Bearer ${TELEBIRR_USSD.resultToken}`,
    }),
  ),
];

// ---------------------------------------------------------------------------------------------
// A Worker with other settings

interface Sent {
  readonly method?: string;
  readonly body?: object | string | undefined;
  readonly contentType?: string;
  readonly apiKey?: string;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request to a Worker with these bindings. */
export async function send(bindings: Env, path: string, sent: Sent = {}) {
  const { body, apiKey, idempotencyKey, headers } = sent;
  const request = new Request(`${ORIGIN}${path}`, {
    method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      'content-type': sent.contentType ?? 'application/json',
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const ctx = createExecutionContext();
  const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], bindings, ctx);
  const text = await response.text();
  await waitOnExecutionContext(ctx);
  return { status: response.status, text, location: response.headers.get('location') };
}
