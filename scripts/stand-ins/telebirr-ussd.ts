import { randomBytes } from 'node:crypto';
import { isNow } from './clock.ts';
import { queryStates, type SentReport, Stage, StageOrder } from './stage.ts';
import {
  type CallbackVariant,
  type CustomerAct,
  faulty,
  type Plan,
  type ReceivedCall,
  type Reply,
  StandInServer,
} from './stand-in.ts';
import {
  acknowledgementXml,
  type CpsQuery,
  type CpsRequest,
  cpsQueryIn,
  cpsRequestIn,
  FAULT_XML,
  failureXml,
  type Namespace,
  noStatusXml,
  paidXml,
  statusXml,
} from './telebirr-ussd-messages.ts';

export type TelebirrUssdStandIn = Awaited<ReturnType<typeof startTelebirrUssdStandIn>>;

/** How CPS takes requests, and when it answers them. */
export interface CpsForm {
  readonly namespace?: Namespace;
  readonly waitsForResult?: boolean;
}

const PATHS: Readonly<Record<Namespace, string>> = {
  cpsinterface: '/payment/services/APIRequestMgrService',
  synccpsinterface: '/payment/services/SYNCAPIRequestMgrService',
};

/** The offset of the time zone that the service expects. */
const OFFSETS: Readonly<Record<Namespace, string>> = {
  cpsinterface: '+03:00',
  synccpsinterface: 'Z',
};

const CLOCK_SKEW_MS_MAX = 300_000;

const CREDENTIALS = {
  thirdPartyId: 'Stand-In & Sons',
  password: `${randomBytes(32).toString('base64')}`,
  operatorId: '20000101',
  securityCredential: `${randomBytes(32).toString('base64')}`,
  shortCode: '200001',
};

/** The only failure code known from a client: the caller was not accepted. */
const CODE_CALLER = '1001';

/** telebirr publishes no list. These codes are invented; the gateway gets them as settings. */
const CODE_PARAMETER = 'X100';
const CODE_DUPLICATE = 'X101';
const CODE_INITIATOR = 'X102';
const CODE_UNAVAILABLE = 'X103';
const CODE: Readonly<Record<Exclude<CustomerAct, 'pays'>, string>> = {
  declines: 'X200',
  lacks_funds: 'X201',
  mistypes_pin: 'X202',
  cancels: 'X203',
  times_out: 'X204',
};
const REASONS = {
  // The first request may have created the order, so a duplicate proves nothing about it.
  [CODE_DUPLICATE]: 'unknown',
  [CODE_INITIATOR]: 'misconfigured',
  [CODE_UNAVAILABLE]: 'rail_unavailable',
  [CODE.lacks_funds]: 'insufficient_funds',
  [CODE.mistypes_pin]: 'wrong_pin',
  [CODE.cancels]: 'canceled_by_customer',
  [CODE.times_out]: 'timed_out',
};

/** Invented, except for "Completed". The gateway gets the state of a failure as a setting. */
const DECLINED_STATE = 'Declined';
const STATES = queryStates('Pending', 'Completed', DECLINED_STATE, 'Expired');

/** telebirr's CPS together with the operator's relay in front of it. `port` 0: any free one. */
export async function startTelebirrUssdStandIn(
  port = 0,
  { namespace = 'cpsinterface', waitsForResult = false }: CpsForm = {},
) {
  const cps = new Cps(namespace, waitsForResult);
  const server = await StandInServer.start((call) => cps.answer(call), port);
  return {
    ...cps.stage.standIn(server),
    railId: 'telebirr-ussd',
    settings: {
      ...CREDENTIALS,
      namespace,
      waitsForResult,
      relayUrl: server.baseUrl + PATHS[namespace],
      relayHeaders: { Authorization: `Bearer ${cps.relayToken}` },
      resultToken: cps.resultToken,
      reasons: REASONS,
    },
    statusQuery: {
      relayUrl: server.baseUrl + PATHS.synccpsinterface,
      failedStates: [DECLINED_STATE],
    },
  };
}

class Cps {
  readonly relayToken = randomBytes(24).toString('base64url');
  readonly resultToken = randomBytes(24).toString('base64url');
  readonly stage = new Stage<Prompt>();
  readonly #queryIds = new Set<string>();
  readonly #namespace: Namespace;
  readonly #waitsForResult: boolean;

  constructor(namespace: Namespace, waitsForResult: boolean) {
    this.#namespace = namespace;
    this.#waitsForResult = waitsForResult;
  }

  async answer(call: ReceivedCall): Promise<Reply> {
    const address = `${call.method} ${call.url}`;
    const isQuery =
      address === `POST ${PATHS.synccpsinterface}` &&
      call.body.includes('>QueryTransactionStatus<');
    if (!isQuery && address !== `POST ${PATHS[this.#namespace]}`) {
      return { type: 'answer', status: 404, body: 'Not Found' };
    }
    const { headers, body } = call;
    if (headers.authorization !== `Bearer ${this.relayToken}`) {
      return { type: 'answer', status: 401, body: 'The relay rejects this token.' };
    }
    const isSoap = /^text\/xml(;|$)/.test(headers['content-type'] ?? '') && 'soapaction' in headers;
    const answer = isSoap ? await (isQuery ? this.#status(body) : this.#request(body)) : null;
    return answer ?? xmlReply(500, FAULT_XML);
  }

  async #request(body: string): Promise<Reply | null> {
    const request = cpsRequestIn(this.#namespace, body);
    const plan = this.stage.planOf(request?.amount ?? '');
    return request && faulty(plan.start, () => this.#accept(request, plan));
  }

  async #status(body: string): Promise<Reply | null> {
    const query = cpsQueryIn(body);
    const isCurrent = query !== null && isNow(query.timestamp, CLOCK_SKEW_MS_MAX, 'Z');
    if (!isCurrent || this.#queryIds.has(query.queryId)) {
      return null;
    }
    const code = refusalOfCaller(query);
    if (code !== null) {
      return xmlReply(200, noStatusXml(query.queryId, code));
    }
    this.#queryIds.add(query.queryId);
    const prompt = this.stage.book.get(query.orderId);
    return prompt === undefined
      ? xmlReply(200, noStatusXml(query.queryId))
      : faulty(this.stage.planOf(prompt.amountText).query, async () =>
          xmlReply(200, prompt.status(query.queryId)),
        );
  }

  async #accept(request: CpsRequest, plan: Plan): Promise<Reply> {
    const conversationId = `AG_${request.timestamp.slice(0, 8)}_${randomBytes(10).toString('hex')}`;
    const code = this.#refusal(request, plan);
    if (code !== null) {
      const serviceStatus = code === CODE_UNAVAILABLE ? '1' : '0';
      return xmlReply(
        200,
        this.#waitsForResult
          ? failureXml(this.#namespace, request.orderId, '', code)
          : acknowledgementXml(request.orderId, '', code, serviceStatus),
      );
    }
    const prompt = new Prompt(this.#namespace, request, conversationId, this.resultToken);
    await this.stage.open(prompt, plan);
    return this.#waitsForResult
      ? prompt.answered
      : xmlReply(200, acknowledgementXml(request.orderId, conversationId, '0', '0'));
  }

  /** A failure code, or null. */
  #refusal(request: CpsRequest, plan: Plan): string | null {
    const { refuses } = plan;
    if (refuses === 'misconfigured') {
      return CODE_CALLER;
    }
    const refused = refusalOfCaller(request);
    if (refused !== null || request.receiver !== CREDENTIALS.shortCode) {
      return refused ?? CODE_INITIATOR;
    }
    if (!isSound(this.#namespace, request)) {
      return CODE_PARAMETER;
    }
    if (this.stage.book.get(request.orderId) !== undefined) {
      return CODE_DUPLICATE;
    }
    if (refuses === 'unavailable') {
      return CODE_UNAVAILABLE;
    }
    return refuses === undefined || refuses === 'pays' ? null : CODE[refuses];
  }
}

/** A prompt on a customer's phone. */
class Prompt extends StageOrder {
  readonly callbackUrl: string;
  readonly #namespace: Namespace;
  readonly #answer = Promise.withResolvers<Reply>();
  readonly #conversationId: string;
  readonly #resultToken: string;
  /** telebirr's receipt number. */
  readonly #transactionId = randomBytes(5).toString('hex').toUpperCase();

  constructor(
    namespace: Namespace,
    { orderId, amount, phone, resultUrl }: CpsRequest,
    conversationId: string,
    resultToken: string,
  ) {
    super(orderId, amount, phone);
    this.callbackUrl = resultUrl;
    this.#namespace = namespace;
    this.#conversationId = conversationId;
    this.#resultToken = resultToken;
  }

  override act(act: CustomerAct, options?: { readonly silent?: boolean }) {
    const acting = super.act(act, options);
    this.#answer.resolve(xmlReply(200, this.#result('genuine')));
    return acting;
  }

  /** The answer that waits for the result, once the customer has acted. */
  get answered(): Promise<Reply> {
    return this.#answer.promise;
  }

  override get receipt(): string {
    return this.#transactionId;
  }

  /** The answer to a status query with this id. */
  status(queryId: string): string {
    const receipt = this.acted === 'pays' ? this.#transactionId : null;
    return statusXml(queryId, STATES[this.acted ?? 'nothing'], receipt);
  }

  /** telebirr's result as the relay passes it on. A forged one does not come through the relay. */
  override reportOf(variant: CallbackVariant): SentReport {
    return {
      contentType: 'text/xml; charset=utf-8',
      headers: variant === 'forged' ? {} : { authorization: `Bearer ${this.#resultToken}` },
      body: this.#result(variant),
    };
  }

  #result(variant: CallbackVariant): string {
    const ids = [this.#conversationId, this.#transactionId] as const;
    const paid = paidXml(this.#namespace, this.orderId, ...ids);
    switch (variant) {
      case 'genuine':
        return this.reported === 'pays'
          ? paid
          : failureXml(this.#namespace, this.orderId, this.#conversationId, CODE[this.reported]);
      case 'forged':
        return paid;
      case 'unreadable':
        return paid.slice(0, paid.length / 2);
      // Results contain no amount, so one with a wrong amount is one of another payment.
      case 'wrong_amount':
      case 'other_order':
        return paidXml(this.#namespace, 'OTHER0ORDER0OTHER0OR', ...ids);
    }
  }
}

/** A failure code for an unknown caller or initiator, or null. */
function refusalOfCaller(request: CpsQuery | CpsRequest): string | null {
  if (
    request.thirdPartyId !== CREDENTIALS.thirdPartyId ||
    request.password !== CREDENTIALS.password
  ) {
    return CODE_CALLER;
  }
  const isKnown =
    request.operatorId === CREDENTIALS.operatorId &&
    request.securityCredential === CREDENTIALS.securityCredential &&
    request.shortCode === CREDENTIALS.shortCode;
  return isKnown ? null : CODE_INITIATOR;
}

/** Checks values beyond the sample's format. */
function isSound(namespace: Namespace, request: CpsRequest): boolean {
  return (
    /^[A-Z0-9]{20}$/.test(request.orderId) &&
    /^251[79]\d{8}$/.test(request.phone) &&
    /^(?!0\.00)(?:0|[1-9]\d{0,8})\.\d\d$/.test(request.amount) &&
    request.currency === 'ETB' &&
    /^https?:$/.test(URL.parse(request.resultUrl)?.protocol ?? '') &&
    isNow(request.timestamp, CLOCK_SKEW_MS_MAX, OFFSETS[namespace])
  );
}

function xmlReply(status: number, body: string): Reply {
  return { type: 'answer', status, headers: { 'content-type': 'text/xml;charset=UTF-8' }, body };
}
