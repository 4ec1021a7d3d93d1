import { beforeEach, expect, test } from 'vitest';
import type { Method } from '../../../src/engine/domain/method.ts';
import mpesaTaken from '../../fixtures/rails/mpesa/stk_response.json' with { type: 'json' };
import ussdResult from '../../fixtures/rails/telebirr-ussd/query_result.xml?raw';
import {
  abortObjects,
  call,
  DAY_MS,
  MINUTE_MS,
  reportsAreSent,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import {
  AMOUNT_MINOR,
  alarmsUntil,
  attemptNow,
  callbackPath,
  client,
  configureRails,
  EBIRR,
  intentNow,
  MPESA,
  payExpress,
  type RailCall,
  railServer,
  report,
} from './support.ts';

/**
 * Goal: the status queries of rails by phone prompt, which operators turn on, find a payment whose
 * report was lost; an answer that proves nothing repeats the query ever more rarely, for 30 days.
 */

const USSD = {
  relayUrl: 'https://relay.rail.test/cps',
  thirdPartyId: 'KEFEL',
  password: 'password',
  operatorId: 'operator',
  securityCredential: 'credential',
  shortCode: '200001',
  statusQuery: { relayUrl: 'https://relay.rail.test/synchronous', failedStates: ['Declined'] },
};

configureRails({
  RAIL_M_PESA_PRODUCTION: {
    ...MPESA,
    statusQuery: { initiator: 'operator', securityCredential: btoa('x'.repeat(256)) },
  },
  RAIL_TELE_BIRR_USSD_PRODUCTION: USSD,
  RAIL_E_BIRR_PRODUCTION: { ...EBIRR, statusQuery: { failedStates: ['DECLINED'] } },
});
useGateway();

/** What the provider answers to a query; `lost`: nothing. */
type State = 'paid' | 'failed' | 'pending' | 'lost';

/** A rail whose answer to the start and whose report are lost. */
interface Prompted {
  readonly method: Method;
  /** Whether a call asks for a status. */
  isQuery(call: RailCall): boolean;
  answer(call: RailCall, state: Exclude<State, 'lost'>): Response;
}

const EBIRR_QUERIES: Prompted = {
  method: 'E_BIRR',
  isQuery: ({ text }) => text.includes('API_TRANSACTIONSTATUS'),
  answer: ({ text }, state) => {
    const { referenceId } = JSON.parse(text).serviceParams;
    const names = { paid: 'APPROVED', failed: 'DECLINED', pending: 'PENDING' };
    const params = { state: names[state], referenceId, txAmount: String(AMOUNT_MINOR / 100) };
    return Response.json({ responseCode: '2001', errorCode: '0', params });
  },
};

const USSD_QUERIES: Prompted = {
  method: 'TELE_BIRR_USSD',
  isQuery: ({ url }) => url === USSD.statusQuery.relayUrl,
  answer: ({ text }, state) => {
    const [, queryId = ''] = /<req:OriginatorConversationID>([^<]*)/.exec(text) ?? [];
    const names = { paid: 'Completed', failed: 'Declined', pending: 'Pending' };
    return new Response(
      ussdResult.replace('QUERY0001', queryId).replace('>Completed<', `>${names[state]}<`),
    );
  },
};

const RAILS: readonly Prompted[] = [EBIRR_QUERIES, USSD_QUERIES];

let state: State;
let queries: number;
beforeEach(() => {
  state = 'pending';
  queries = 0;
});

/** Pays; the provider prompts the customer, but its answer is lost. */
async function prompted(rail: Prompted): Promise<void> {
  railServer((asked) => {
    if (!rail.isQuery(asked)) {
      throw new Error('connection reset');
    }
    queries += 1;
    if (state === 'lost') {
      throw new Error('connection reset');
    }
    return rail.answer(asked, state);
  });
  await payExpress({ method: rail.method });
  await reportsAreSent();
}

const eventTypes = async () => (await client().events()).map(({ type }) => type);

test.each(RAILS)('$method: a query finds the payment', async (rail) => {
  await prompted(rail);
  const { checkAtMs } = await attemptNow();
  await alarmsUntil((checkAtMs ?? 0) + 4 * SECOND_MS);
  expect(await attemptNow()).toMatchObject({ status: 'processing', checks: 2 });
  state = 'paid';
  await alarmsUntil(Date.now() + 6 * SECOND_MS);
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: false });
  expect(await eventTypes()).toEqual(['payment_succeeded']);
  const asked = queries;
  await alarmsUntil(Date.now() + DAY_MS);
  expect(queries).toBe(asked);
});

test('E_BIRR: a query finds the payment when the consumer dies in its call', async () => {
  railServer((asked) => {
    if (EBIRR_QUERIES.isQuery(asked)) {
      return EBIRR_QUERIES.answer(asked, 'paid');
    }
    // The object dies while it waits.
    return new Promise(() => undefined);
  });
  await payExpress({ method: 'E_BIRR' });
  await reportsAreSent();
  await abortObjects();
  const { status, deadlineAtMs, checkAtMs } = await attemptNow();
  expect([status, checkAtMs]).toEqual(['processing', deadlineAtMs]);
  await alarmsUntil(deadlineAtMs);
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: false });
});

test('E_BIRR: a browser at the callback address moves no query', async () => {
  await prompted(EBIRR_QUERIES);
  const before = await attemptNow();
  const response = await call(await callbackPath('ebirr'), { apiKey: null });
  expect(response.status).toBe(303);
  expect(await attemptNow()).toEqual(before);
});

test('E_BIRR: an undecided report is followed by a query soon', async () => {
  await prompted(EBIRR_QUERIES);
  await alarmsUntil(Date.now() + 10 * MINUTE_MS);
  const { reference } = await attemptNow();
  const undecided = { referenceId: reference, responseCode: '52061', errorCode: 'E102051' };
  expect(await report(await callbackPath('ebirr'), undecided)).toMatchObject({ status: 200 });
  expect(await attemptNow()).toMatchObject({ checkAtMs: Date.now() + 5 * SECOND_MS });
});

// ---------------------------------------------------------------------------------------------
// M-PESA, whose result comes later, to the callback address

/** Pays; M-PESA prompts the customer and accepts each query. */
async function promptedByMpesa(): Promise<void> {
  railServer(({ url, text }) => {
    switch (new URL(url).pathname.split('/').at(-1)) {
      case 'generate':
        return Response.json({ access_token: 'token', expires_in: '3599' });
      case 'processrequest': {
        const { MerchantRequestID } = JSON.parse(text);
        return Response.json({ ...mpesaTaken, MerchantRequestID });
      }
      default:
        queries += 1;
        return Response.json({ ConversationID: 'AG_1', ResponseCode: '0' });
    }
  });
  await payExpress({ method: 'M_PESA', phoneNumber: '251711223344' });
}

async function mpesaResult(TransactionStatus: string): Promise<object> {
  const { railReference } = await attemptNow();
  const parameters = { TransactionStatus, Amount: AMOUNT_MINOR / 100, ReceiptNo: 'RHJ4BTOYS8' };
  const ResultParameter = Object.entries(parameters).map(([Key, Value]) => ({ Key, Value }));
  return {
    Result: {
      ResultType: 0,
      ResultCode: 0,
      ResultParameters: { ResultParameter },
      ReferenceData: { ReferenceItem: { Key: 'Occasion', Value: railReference } },
    },
  };
}

test('M_PESA: the result of a query pays, even after the payment has expired', async () => {
  await promptedByMpesa();
  const { startedAtMs } = await attemptNow();
  await alarmsUntil(startedAtMs + 36 * SECOND_MS);
  // At 30 and 35 s. The answers only say that M-PESA has the query.
  expect([queries, (await attemptNow()).status]).toEqual([2, 'processing']);
  await alarmsUntil(startedAtMs + DAY_MS);
  expect(await intentNow()).toMatchObject({ status: 'expired' });
  const path = await callbackPath('stk-push');
  expect(await report(path, await mpesaResult('Completed'))).toMatchObject({ status: 200 });
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: true });
  expect(await attemptNow()).toMatchObject({ receipt: 'RHJ4BTOYS8', checkAtMs: null });
});

test('M_PESA: a result that proves nothing neither moves a query nor warns of a callback', async () => {
  await promptedByMpesa();
  const { startedAtMs } = await attemptNow();
  await alarmsUntil(startedAtMs + 31 * SECOND_MS);
  const before = await intentNow();
  const path = await callbackPath('stk-push');
  expect(await report(path, await mpesaResult('Pending'))).toMatchObject({ status: 200 });
  expect(await intentNow()).toEqual(before);
});
