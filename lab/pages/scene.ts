import { type HostedPaymentRequest, Kefel } from '../../clients/typescript/kefel.ts';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { HttpClient, type HttpRequest } from '../../scripts/gateway/http.ts';
import { abandonAttempt, checkoutPage, chooseMethod, decide } from '../harness/customer.ts';
import { until } from '../harness/until.ts';
import { DEMO_ITEMS } from './demo-payment.ts';

/** Payments of every kind, for pictures of pages. */

export interface Scene {
  /** Pages of customers. */
  readonly open: string;
  readonly waiting: string;
  readonly refunded: string;
  readonly canceled: string;
  /** The payment of `refunded`. */
  readonly refundedId: string;
  /** The operator's page of a payment that was paid twice. */
  readonly operatorPayment: string;
}

/** docs/sandbox.md#amounts: paid 30 s after each start; the first attempt can be left. */
const PAID_TWICE_AMOUNT = 100.14;
/** Nothing listens there, so this event stays undelivered. */
const UNREACHABLE_URL = 'http://localhost:9/webhooks';
const EXPIRE_IN_SECONDS = 900;
const PHONE_NUMBER = '911234567';

const CUSTOMERS = ['Almaz Bekele', 'Dawit Haile', 'ሰላም ተስፋዬ', 'Chaltu Gemechu'];
const METHODS = ['TELE_BIRR', 'CBE', 'M_PESA', 'E_BIRR', 'TELE_BIRR_USSD'] as const;

/** Creates the payments, and waits until the merchant's lists show them. */
export async function setScene(merchant: DemoMerchant): Promise<Scene> {
  const { baseUrl, merchantId, sandboxApiKey: apiKey } = merchant;
  const kefel = new Kefel({ baseUrl, apiKey });
  const customer = new Customer();
  const create = async (id: string, changes: Partial<HostedPaymentRequest> = {}) =>
    (await kefel.payments.create({ ...hosted(id), ...changes })).checkoutUrl;

  const twice = await create('order-2001', { amount: PAID_TWICE_AMOUNT, items: [] });
  await customer.choose(twice, 'CBE');
  await customer.leave(twice);
  await customer.choose(twice, 'CBE');
  for (const [index, method] of [...METHODS, ...METHODS].entries()) {
    await kefel.payments.express({
      ...{ paymentIntentUniqueId: `order-${2002 + index}`, currency: 'ETB', method },
      ...{ amount: 120 + 35 * index, phoneNumber: PHONE_NUMBER, expireIn: EXPIRE_IN_SECONDS },
      ...{ commissionPaidByCustomer: index % 2 === 0, returnUrl: 'https://shop.example/thanks' },
      customerInfo: { phone: PHONE_NUMBER, name: CUSTOMERS[index % CUSTOMERS.length] ?? '' },
      ...(index === 4 && { callbackUrl: UNREACHABLE_URL }),
      testMode: {
        testModeType: 'SIMULATED_TEST',
        simulationStatus: index % 5 === 3 ? 'FAILED' : 'SUCCESS',
      },
    });
  }
  const refundedId = 'order-2020';
  const refunded = await create(refundedId);
  await customer.pay(refunded);
  await kefel.refunds.create({
    refundUniqueId: 'refund-1',
    paymentIntentUniqueId: refundedId,
    amountMinor: 45_000,
    reason: 'Returned coffee',
  });
  const canceled = await create('order-2021');
  await kefel.payments.cancel('order-2021');
  const waiting = await create('order-2022');
  await customer.choose(waiting, 'M_PESA', '711223344');
  const open = await create('order-2023');
  await until('list with both payments of one order', async () => {
    const { anomalies } = await kefel.payments.get('order-2001');
    const { data } = await kefel.payments.list();
    return anomalies.length > 0 && data.some(({ uniqueId }) => uniqueId === 'order-2023');
  });
  customer.close();
  const operatorPayment = `/operator/payments/sandbox/${merchantId}/order-2001`;
  return { open, waiting, refunded, canceled, refundedId, operatorPayment };
}

function hosted(id: string): HostedPaymentRequest {
  return {
    paymentIntentUniqueId: id,
    currency: 'ETB',
    amount: 1500,
    items: DEMO_ITEMS,
    methods: [],
    commissionPaidByCustomer: true,
    expireIn: EXPIRE_IN_SECONDS,
    returnUrl: 'https://shop.example/thanks',
    customerInfo: { phone: PHONE_NUMBER, name: CUSTOMERS[0] ?? '' },
  };
}

/** A customer without a browser. */
class Customer {
  readonly #http = new HttpClient(1);

  async choose(checkoutUrl: string, method: string, phone = PHONE_NUMBER): Promise<string> {
    const { attempts } = checkoutPage(await this.#page(checkoutUrl));
    const choice = { method, phone, attempts: attempts ?? 0 };
    const { headers } = await this.#send(chooseMethod(checkoutUrl, choice), 303);
    return new URL(headers.location ?? '', checkoutUrl).href;
  }

  async pay(checkoutUrl: string): Promise<void> {
    await this.#send(decide(await this.choose(checkoutUrl, 'TELE_BIRR'), 'approve'), 303);
  }

  async leave(checkoutUrl: string): Promise<void> {
    const { attemptId } = checkoutPage(await this.#page(checkoutUrl));
    await this.#send(abandonAttempt(checkoutUrl, attemptId ?? ''), 303);
  }

  close(): void {
    this.#http.close();
  }

  async #page(url: string): Promise<string> {
    return (await this.#send({ method: 'GET', url }, 200)).body;
  }

  async #send(request: HttpRequest, status: number) {
    const answer = await this.#http.send(request);
    if (answer.status !== status) {
      throw new Error(`${request.method} of the customer answered ${answer.status}`);
    }
    return answer;
  }
}
