import type { DashboardCall } from '../../back-office/dashboard/call.ts';
import { noticePage } from '../../back-office/dashboard/notices.tsx';
import { DASHBOARD_ROUTES, PUBLIC_ROUTES } from '../../back-office/dashboard/routes.ts';
import type { BackOfficeEnv } from '../../back-office/env.ts';
import { HomePage } from '../../back-office/home/home-page.tsx';
import { backOfficeLanguageOf } from '../../back-office/i18n/texts.ts';
import type { Session } from '../../back-office/members/sessions.ts';
import type { DeskCall } from '../../back-office/operator/desk/call.ts';
import { DESK_ROUTES } from '../../back-office/operator/desk/routes.ts';
import type { PaymentsPlane } from '../../back-office/payments-plane.ts';
import { answerPage } from '../../back-office/ui/answer.ts';
import { CHANNEL_NAMES } from '../../src/control/alerts/config.ts';
import { BANK_CODE_CHARACTERS_MAX, type BankCode } from '../../src/control/merchants/bank-code.ts';
import type { DidPay } from '../../src/control/payments/did-pay.ts';
import { OUTCOMES, type Outcome } from '../../src/control/provider-files/judge.ts';
import type { AlertsState } from '../../src/control/rpc/alerts.ts';
import type { ShownLink } from '../../src/control/rpc/links.ts';
import type { ShownConnection, Ways } from '../../src/control/rpc/notifications.ts';
import type {
  BoardRow,
  Modes,
  Preview,
  PreviewedLine,
  ProviderFile,
  ProviderLine,
  ProviderProfile,
  SelfCheck,
  StatementsPage,
} from '../../src/control/rpc/operator.ts';
import type { MerchantStatement } from '../../src/control/statements/export-statements.ts';
import { SUBJECT_IDS } from '../../src/engine/alerts/subjects.ts';
import { qrCode, qrModules } from '../../src/engine/checkout/qr.ts';
import { checkoutView, type ViewContext } from '../../src/engine/checkout/view.ts';
import { strongKeyRing } from '../../src/engine/config.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import { LINK_ITEMS_MAX, TITLE_CHARACTERS_MAX } from '../../src/engine/links/payment-link.ts';
import { OF_SERVER } from '../../src/engine/webhooks/endpoint-store.ts';
import { WIRE_EVENT_TYPES } from '../../src/engine/webhooks/endpoints.ts';
import { seal } from '../../src/kit/crypto/sealed.ts';
import { businessDay } from '../../src/kit/ethiopian-time.ts';
import { Form } from '../../src/kit/http/form.ts';
import { CURRENCIES } from '../../src/kit/money.ts';
import type { SameOrderPayment } from '../../src/lists/book/rows.ts';
import { ComponentsPage } from './back-office-components.tsx';
import {
  ANOMALOUS,
  EVENT_ROWS,
  EVENTS,
  FAILED,
  HISTORY,
  LARGEST_MINOR,
  LEFT,
  LONGEST,
  LONGEST_ID,
  LONGEST_NAME,
  OTHER_TRY,
  PAID,
  PROCESSING,
  REFUND_ROWS,
  ROWS,
  refundWith,
  rowOf,
  TWICE,
  TWICE_ROWS,
} from './back-office-fixtures.ts';
import { NOW_MS } from './checkout-fixtures.ts';
import { sqliteD1 } from './sqlite-d1.ts';

/**
 * The pages of the dashboard and the desk, by the functions of their routes, over answers of the
 * payments plane that are written down here. Each has the longest id, name and amount that it can.
 */

type Answer = (request: Request) => Promise<Response>;

/** What the payments plane answers, by the functions of its interface. */
type Answers = {
  readonly [Area in keyof PaymentsPlane]?: {
    readonly [Name in keyof PaymentsPlane[Area]]?: Awaited<
      ReturnType<Extract<PaymentsPlane[Area][Name], (...args: never) => unknown>>
    >;
  };
};

const MERCHANT_ID = 'mer_1';
const OWNER_ID = 'mem_owner';
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** Every page of the desk counts. */
const HEADER = {
  countAttention: { attention: 3, deadLetters: 1, rails: 1 },
  readModes: { maintenance: null, membersReadOnly: null },
};

const database = sqliteD1('back-office/migrations');
const backOfficeKeys = strongKeyRing('KEYS', `t1:${Buffer.alloc(32, 3).toString('base64')}`);
const retention = { sessionMs: 0, auditAddressMs: 0 };
const config = { publicBaseUrl: null, rateLimits: false, backOfficeKeys, retention };
const env = { BACK_OFFICE_DB: database, SOURCE_URL: '' } as unknown as BackOfficeEnv;
const ctx = { waitUntil: () => undefined } as unknown as ExecutionContext;

await database.batch([
  ...[
    [OWNER_ID, LONGEST_NAME, 'owner'],
    ['mem_viewer', 'Sara Tesfaye', 'viewer'],
    ['mem_till', LONGEST_NAME, 'till'],
  ].map(([id, name, role]) =>
    database
      .prepare(
        'INSERT INTO members (id, merchant_id, name, role, created_at_ms) VALUES (?, ?, ?, ?, ?)',
      )
      .bind(id, MERCHANT_ID, name, role, NOW_MS),
  ),
  ...['Telefon', LONGEST_NAME].map((name, index) =>
    database
      .prepare("INSERT INTO passkeys VALUES (?, ?, '', 0, '[]', ?, ?, ?, NULL)")
      .bind(`passkey-${index}`, OWNER_ID, name, index, NOW_MS),
  ),
  database
    .prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, NULL)')
    .bind(
      'd'.repeat(64),
      'ses_1',
      OWNER_ID,
      'passkey-0',
      NOW_MS,
      NOW_MS,
      NOW_MS + WEEK_MS,
      '192.0.2.1',
      'curl',
    ),
  database
    .prepare(
      `INSERT INTO invitations (digest, id, merchant_id, role, name, invited_by_id, invited_by,
        created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .bind(
      'e'.repeat(64),
      'inv_1',
      MERCHANT_ID,
      'cashier',
      LONGEST_NAME,
      OWNER_ID,
      'Abebe',
      NOW_MS,
      NOW_MS + WEEK_MS,
    ),
  ...['member.joined', 'member.role_changed', 'passkey.added'].map((action) =>
    database
      .prepare(
        "INSERT INTO audit_log VALUES (NULL, ?, ?, NULL, 'member', ?, ?, NULL, ?, ?, ?, '{}')",
      )
      .bind(
        NOW_MS,
        MERCHANT_ID,
        OWNER_ID,
        LONGEST_NAME,
        '2001:db8:1234:5678:9abc:def0:1234:5678',
        action,
        LONGEST_NAME,
      ),
  ),
]);

const SESSION: Session = {
  id: 'ses_1',
  digest: 'd'.repeat(64),
  memberId: OWNER_ID,
  memberName: LONGEST_NAME,
  role: 'owner',
  merchantId: MERCHANT_ID,
  merchantName: LONGEST_NAME,
  isSuspended: false,
  areChangesPaused: false,
  isInMaintenance: false,
  createdAtMs: NOW_MS,
  csrfToken: 'token',
};

function planeWith(answers: Answers): PaymentsPlane {
  const areas = answers as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const area = (areaName: string) =>
    new Proxy(
      {},
      {
        get: (_area, name) => async () => {
          const answer = areas[areaName]?.[String(name)];
          if (answer === undefined) {
            throw new Error(`the gallery has no answer of ${areaName}.${String(name)}`);
          }
          return answer;
        },
      },
    );
  return new Proxy({}, { get: (_plane, name) => area(String(name)) }) as PaymentsPlane;
}

/** The route of a path, and its parameters. */
function routeOf<Route extends { readonly method: string; readonly path: string }>(
  routes: readonly Route[],
  url: URL,
) {
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const pattern = new RegExp(`^${route.path.replace(/:\w+/g, '([^/]+)')}$`);
    const found = pattern.exec(url.pathname);
    if (found !== null) {
      const values = found.slice(1).map(decodeURIComponent);
      return {
        route,
        params: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])),
      };
    }
  }
  throw new Error(`no page is at ${url.pathname}`);
}

/** The request as the page at `path` gets it, in the language of the gallery's. */
function requestTo(path: string, { url, headers }: Request): Request {
  const at = new URL(path, url);
  at.searchParams.set('lang', new URL(url).searchParams.get('lang') ?? 'en');
  return new Request(at, { headers });
}

function dashboard(path: string, answers: Answers, session: Partial<Session> = {}): Answer {
  return async (asked) => {
    const request = requestTo(path, asked);
    const url = new URL(request.url);
    const { route, params } = routeOf([...DASHBOARD_ROUTES, ...PUBLIC_ROUTES], url);
    const call: DashboardCall = {
      request,
      url,
      env,
      ctx,
      config,
      params,
      payments: planeWith(answers),
      language: backOfficeLanguageOf(request),
      nowMs: NOW_MS + HOUR_MS,
      session: { ...SESSION, ...session },
      environment: params.environment === 'production' ? 'production' : 'sandbox',
      calendar: 'gregorian',
      form: new Form(new FormData()),
    };
    return route.handle(call);
  };
}

/** "Did this customer pay?", answered. */
function didPay(answer: DidPay): Answer {
  return async (asked) => {
    const sealed = await seal(backOfficeKeys, 'CJK7ABC123', `search/sandbox/${MERCHANT_ID}`);
    const path = `/dashboard/sandbox/did-pay?${new URLSearchParams({ search: sealed })}`;
    return dashboard(path, { lists: { didPay: answer } })(asked);
  };
}

const SHOP = { merchantId: MERCHANT_ID, merchantName: LONGEST_NAME };
const STATEMENT: MerchantStatement = {
  type: 'statement',
  ...SHOP,
  currency: 'ETB',
  method: 'TELE_BIRR',
  paid: 123_456,
  paidMinor: 99_999_999_999,
  borneCommissionMinor: 999_999_999,
  refundedMinor: 12_345_678,
  returnedCommissionMinor: 123_456,
  customersCommissionMinor: 100,
};
const SHARE = { type: 'beneficiary', ...SHOP, currency: 'ETB', bank: 'CBE' } as const;

/** A day of two currencies, with splits, and a merchant whose book did not answer. */
const STATEMENTS: StatementsPage = {
  rows: [
    STATEMENT,
    { ...STATEMENT, merchantId: 'mer_2', merchantName: 'Abebe Coffee', method: 'CBE', paid: 1 },
    { ...STATEMENT, currency: 'USD', paidMinor: 1_000_000, refundedMinor: 99_999_999 },
    { ...SHARE, account: '1000123456789', shareMinor: 9_999_999_999 },
    { ...SHARE, bank: null, account: null, shareMinor: -1_250 },
    { type: 'missing', merchantId: 'mer_3', merchantName: LONGEST_NAME },
    { type: 'incomplete', missing: 1 },
  ],
  merchants: 3,
  next: null,
};

const OPEN_SUM = { lines: 12, amountMinor: 9_999_999 };
const BOARD_ROW: BoardRow = {
  day: '2026-11-28',
  method: 'TELE_BIRR',
  currency: 'ETB',
  expected: { payments: 12_345, amountMinor: 99_999_999_999 },
  comparedAtMs: NOW_MS,
  arrivedMinor: 99_999_999_999,
  missing: OPEN_SUM,
  different: OPEN_SUM,
  outcomes: OUTCOMES.map((outcome) => ({ ...OPEN_SUM, outcome, isDecided: false })),
};

/** Two days: of two methods, and one that no file was compared with. */
const BOARD: readonly BoardRow[] = [
  BOARD_ROW,
  { ...BOARD_ROW, method: 'CBE', missing: { lines: 0, amountMinor: 0 }, outcomes: [] },
  { ...BOARD_ROW, day: '2026-11-27', expected: null, comparedAtMs: null },
];

/** One of each outcome; the last is decided. */
const PROVIDER_LINES: readonly ProviderLine[] = OUTCOMES.map((outcome, index) => ({
  key: `2026-11-28/payment/CK${index}`,
  state: `${outcome} ETB 9999999 100 - ${LONGEST_ID}`,
  fileId: 'f'.repeat(36),
  ...{ line: index + 2, type: 'payment', amountMinor: 9_999_999, feeMinor: 100, netMinor: null },
  ...{ currency: 'ETB', atMs: NOW_MS, receipt: 'CJK7ABC123', reference: null, outcome },
  ...{ expectedMinor: 10_000_000, merchantId: MERCHANT_ID, uniqueId: LONGEST_ID },
  isAssigned: false,
  decision:
    outcome === 'missing'
      ? { type: 'accepted', reason: 'Rounded', operator: LONGEST_NAME, atMs: NOW_MS }
      : null,
}));

const FILES_PATH = '/operator/provider-files/production/TELE_BIRR';
const PROVIDER_FILE: ProviderFile = {
  ...{ id: 'b9f5a3f0-6c1e-4b5e-9d2b-000000000001', name: 'day.csv', profile: 'Portal' },
  ...{ operator: LONGEST_NAME, begunAtMs: NOW_MS, status: 'matching', bytes: 15_000_000 },
  ...{ lines: 100_000, linesDone: 4_200, fromDay: '2026-11-27', toDay: '2026-11-28' },
  ...{ unanswered: 0, failures: 0, problem: null },
};
const UPLOADED: ProviderFile = {
  ...{ ...PROVIDER_FILE, status: 'uploading', bytes: 0, lines: null, linesDone: 0 },
  ...{ fromDay: null, toDay: null },
};
const FILE_PROBLEM: ProviderFile['problem'] = {
  ...({ code: 'amount', line: 7, column: 4 } as const),
  found: `1.234,5${'0'.repeat(50)}`,
  text: 'Line 7, column 4: is not an amount',
};
const PROVIDER_PROFILE: ProviderProfile = {
  ...{ name: 'Portal', delimiter: 'comma', encoding: 'utf-8', headerRow: 1, footer: 'Total' },
  ...{ dateFormat: 'yyyy-MM-dd HH:mm:ss', decimal: 'point', currency: 'ETB' },
  columns: { amount: 'Amount', fee: 5, date: 'Time', receipt: 'Receipt No.', type: 'Type' },
  types: { payment: ['Payment', 'Sale'], refund: ['Refund'] },
  fee: { basisPoints: 125, fixedMinor: 100 },
};
/** A file in each state. */
const PROVIDER_FILES: readonly ProviderFile[] = [
  UPLOADED,
  { ...PROVIDER_FILE, failures: 3 },
  { ...PROVIDER_FILE, status: 'done', linesDone: 100_000, unanswered: 2, name: LONGEST_NAME },
  { ...UPLOADED, status: 'refused', problem: FILE_PROBLEM },
];
const PREVIEWED: PreviewedLine = {
  ...{ line: 2, type: 'payment', amountMinor: 99_999_999, feeMinor: 999_999, netMinor: 99_000_000 },
  ...{ currency: 'ETB', atMs: NOW_MS, receipt: 'CK1ABC2345', reference: null, outcome: 'matched' },
  ...{ expectedMinor: null, merchantId: MERCHANT_ID, uniqueId: PAID.terms.uniqueId },
};
const PREVIEW: Preview = {
  rows: [
    ['Receipt No.', 'Order No.', 'Type', 'Amount', 'Fee', 'Net', 'Currency', 'Time'],
    ['CK1ABC2345', 'x'.repeat(64), 'Payment', '999999.99', '', '', 'ETB', '2026-11-28 10:00:00'],
  ],
  lines: [
    PREVIEWED,
    {
      ...{ ...PREVIEWED, line: 3, type: 'refund', outcome: 'not_ours', feeMinor: null },
      ...{ receipt: null, reference: 'X'.repeat(64), merchantId: null, uniqueId: null },
    },
  ],
  problem: null,
};

function desk(path: string, operator: Answers['operator'], others: Answers = {}): Answer {
  return async (asked) => {
    const request = requestTo(path, asked);
    const url = new URL(request.url);
    const { route, params } = routeOf(DESK_ROUTES, url);
    const call: DeskCall = {
      request,
      url,
      env,
      ctx,
      config,
      params,
      payments: planeWith({ ...others, operator: { ...HEADER, ...operator } }),
      actor: { kind: 'operator', id: 'abebe', name: LONGEST_NAME, address: null, isProved: false },
      nowMs: NOW_MS + HOUR_MS,
      form: new Form(new FormData()),
    };
    return route.handle(call);
  };
}

const FOUND = {
  rows: ROWS,
  merchantNames: { [MERCHANT_ID]: LONGEST_NAME },
} as unknown as Awaited<ReturnType<PaymentsPlane['operator']['findPayments']>>;

/** A page about the line with this outcome, of a payment whose attempt by eBirr is unresolved. */
function lineState(rest: string, outcome: Outcome): Answer {
  const line = PROVIDER_LINES.find((one) => one.outcome === outcome);
  const key = encodeURIComponent(line?.key ?? '');
  return desk(`/operator/provider-files/sandbox/E_BIRR/line/${key}${rest}`, {
    providerLine: line as ProviderLine,
    paymentDetails: { ...DETAILS, intent: PROCESSING } as unknown as Awaited<
      ReturnType<PaymentsPlane['operator']['paymentDetails']>
    >,
    findPayments: FOUND,
  });
}

const PAYMENTS = '/dashboard/sandbox/payments';
const WEBHOOKS = '/dashboard/sandbox/webhooks';
const TODAY = businessDay(NOW_MS);

function pageOf<Row>(rows: readonly Row[]) {
  return { rows, previousCursor: null, nextCursor: 'next' };
}

function payment(intent: typeof PAID, sameOrder?: readonly SameOrderPayment[]): Answers {
  return {
    payments: {
      read: {
        type: 'found',
        intent,
        history: HISTORY,
        events: EVENTS,
        bankNames: new Map(),
        keyNames: new Map(),
        checkoutUrl: `https://pay.example.com/checkout/${'t'.repeat(86)}`,
        receiptUrl: `https://pay.example.com/receipt/${'t'.repeat(86)}`,
        ...(sameOrder && { sameOrder }),
      },
    },
  };
}

function pathOf({ terms }: typeof PAID): string {
  return `${PAYMENTS}/${encodeURIComponent(terms.uniqueId)}`;
}

function deskPathOf({ terms }: typeof PAID): string {
  return `/operator/payments/sandbox/${MERCHANT_ID}/${encodeURIComponent(terms.uniqueId)}`;
}

const TOTAL = {
  method: 'M_PESA',
  currency: 'ETB',
  status: 'succeeded',
  payments: 1_234,
  amountMinor: LARGEST_MINOR,
  commissionMinor: 1_500,
  borneCommissionMinor: 500,
  refundedMinor: 150_050,
  returnedCommissionMinor: 20,
} as const;

const NOT_WORKING = [
  { method: 'CBE', why: 'off', sinceMs: NOW_MS, text: 'Back <tomorrow> at 8:00' },
  { method: 'M_PESA', why: 'down', sinceMs: NOW_MS, text: null },
] as const;

function overview(isEmpty: boolean): Answers {
  return {
    audit: { newAccess: [] },
    lists: {
      overview: {
        notWorking: [],
        failing: [],
        hasPayments: !isEmpty,
        totals: isEmpty
          ? []
          : [
              { ...TOTAL, day: TODAY },
              { ...TOTAL, day: TODAY, method: 'CBE', amountMinor: LARGEST_MINOR / 3 },
              ...Array.from({ length: 29 }, (_, index) => ({
                ...TOTAL,
                day: TODAY - 1 - index,
                amountMinor: Math.round(LARGEST_MINOR * (0.5 + 0.3 * Math.sin(index))),
              })),
            ],
        attempts: isEmpty ? [] : [{ method: 'M_PESA', currency: 'ETB', ended: 99, succeeded: 9 }],
        apiOrigin: 'https://pay.example.com',
      },
    },
  };
}

/** Every method in both currencies. */
function fullestOverview(): Answers {
  const shown = overview(false).lists?.overview;
  const totals = CURRENCIES.flatMap((currency) =>
    METHODS.map((method) => ({ ...TOTAL, day: TODAY, currency, method })),
  );
  return {
    audit: { newAccess: [] },
    ...(shown && { lists: { overview: { ...shown, notWorking: NOT_WORKING, totals } } }),
  };
}

/** Besides the overview, what the steps of the first day are about. */
function firstDay(): Answers {
  return { ...overview(true), settings: { keys: [KEY] }, webhooks: { settings: WEBHOOK_SETTINGS } };
}

function list(rows: typeof ROWS): Answers {
  return {
    lists: {
      paymentsWithTotals: {
        page: pageOf(rows),
        totals: rows.length === 0 ? [] : [TOTAL],
        apiOrigin: null,
      },
    },
  };
}

const BUSINESS = {
  legalName: LONGEST_NAME,
  tin: '0012345678',
  vatNumber: null,
  address: LONGEST_NAME,
  contact: null,
};

const ENDPOINT = {
  endpointId: 'whe_1',
  url: `https://shop.example.com/${'hooks/'.repeat(30)}`,
  eventTypes: ['PAYMENT_SUCCESS'],
  isEnabled: true,
  signatureHeader: null,
  description: LONGEST_NAME,
  createdAtMs: NOW_MS,
  payloadVersion: '1',
  failingSinceMs: NOW_MS,
  lastError: 'no answer within 10 s',
  pausedAtMs: NOW_MS,
  isToldNeeds: false,
  ...OF_SERVER,
} as unknown as Awaited<ReturnType<PaymentsPlane['lists']['events']>>['endpoints'][number];

const SECRETS = [
  { id: 'whs_0123456789abcdef', createdAtMs: NOW_MS, expiresAtMs: null },
  { id: 'whs_fedcba9876543210', createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 2 * HOUR_MS },
];

const WEBHOOK_SETTINGS = {
  endpoints: [ENDPOINT],
  failing: [],
  signatureHeader: null,
  secrets: SECRETS,
  keys: [],
  apiOrigin: null,
};
const REFUSED = Array.from({ length: 50 }, (_, index) => ({
  requestId: `req_${String(index).padStart(2, '0')}${'0123456789'.repeat(3)}`,
  atMs: NOW_MS - index * 1_000,
  method: 'POST',
  path: '/api/v1/payment/sandbox/webhook-endpoints/{id}/secret',
  status: 400,
  code: 'validation_failed',
  fields: ['items[0].price: too_small', 'paymentIntentUniqueId: required'],
  keyName: LONGEST_NAME,
}));

const KEY = {
  digest: 'f'.repeat(64),
  name: LONGEST_NAME,
  hint: 'abcd',
  label: 'kfl_test_…abcd',
  createdBy: LONGEST_NAME,
  createdAtMs: NOW_MS,
  lastUsedAtMs: NOW_MS,
  expiresAtMs: null,
  revokedAtMs: null,
  permissions: null,
};

/** Long words, and as many items as a link can have. */
const LONGEST_LINK: ShownLink = {
  url: `https://pay.example.com/pay/${'x'.repeat(80)}`,
  link: {
    ...{ id: 'lnk_1', code: '0'.repeat(16), version: 1, createdAtMs: NOW_MS, updatedAtMs: NOW_MS },
    title: LONGEST_NAME.slice(0, TITLE_CHARACTERS_MAX),
    description: LONGEST_NAME,
    price: {
      kind: 'items',
      items: Array.from({ length: LINK_ITEMS_MAX }, (_, index) => ({
        name: `${index} ${LONGEST_NAME.slice(0, 90)}`,
        description: null,
        type: 'PHYSICAL_PRODUCT',
        priceMinor: 99_999_999_999,
        quantityMax: 1_000,
      })),
    },
    currency: 'ETB',
    methods: ['CBE'],
    askFor: { name: 'REQUIRED', phone: 'REQUIRED', email: 'OPTIONAL', note: 'NO' },
    commissionPaidByCustomer: true,
    splits: [],
    validUntilMs: NOW_MS,
    paymentsMax: 1_000,
    places: { committed: 998, reserved: 2 },
    paidText: LONGEST_NAME,
    returnUrl: `https://shop.example.com/${'thanks/'.repeat(30)}`,
    callbackUrl: null,
    metadata: {},
    isActive: true,
  },
};

/** With the longest name and city that the lengths of fields allow. */
const BANK_CODE: BankCode = {
  name: LONGEST_NAME.slice(0, 99),
  city: LONGEST_NAME.slice(0, 99),
  otherName: 'ሐበሻ ምግብ ቤት',
  amount: '9999999999.99',
  isForOnePayment: true,
};

const STANDINGS = {
  methods: METHODS.map((method, index) => ({
    method,
    offered: index !== 1,
    enabled: index > 1,
    rate: { basisPoints: 150, fixedMinor: 0 },
    rail: index === 0 ? 'misconfigured' : index === 2 ? 'simulated_and_test' : 'connected',
    currencies: ['ETB'],
    standing: index === 0 ? 'not_connected' : index === 1 ? 'not_offered' : 'on',
  })),
  limits: { ETB: LARGEST_MINOR },
} as const satisfies Awaited<ReturnType<PaymentsPlane['methods']['standings']>>;

const SETTINGS = {
  methods: METHODS.map((method) => ({
    method,
    offered: true,
    enabled: true,
    basisPoints: 150,
    fixedMinor: 0,
  })),
  limitsMinor: { ETB: LARGEST_MINOR },
  apiKeys: 2,
};

const MERCHANT = {
  id: MERCHANT_ID,
  name: LONGEST_NAME,
  status: 'active',
  createdAtMs: NOW_MS,
} as const;

const LETTER = {
  id: `letter-${'0'.repeat(60)}`,
  queue: 'kefel-webhooks',
  kind: 'delivery',
  objectName: null,
  sentAtMs: NOW_MS,
  storedAtMs: NOW_MS,
  givenUpAtMs: NOW_MS,
  timesGivenUp: 2,
  status: 'waiting',
  retries: 1,
  handledAtMs: null,
  handledBy: null,
  payment: {
    environment: 'sandbox',
    merchantId: MERCHANT_ID,
    uniqueId: LONGEST.terms.uniqueId,
    kind: 'express',
    method: 'TELE_BIRR_USSD',
    amountMinor: LARGEST_MINOR,
    currency: 'ETB',
    transactionIds: ['K3W8N5PX2T9B4ZC7VM6D'],
  },
} as const;

const ABOUT = {
  kind: 'hosted',
  method: 'M_PESA',
  amountMinor: LARGEST_MINOR,
  currency: 'ETB',
  transactionIds: ['K3W8N5PX2T9B4ZC7VM6D'],
} as const;

const LETTER_ITEM = {
  type: 'dead_letter',
  id: LETTER.id,
  letter: LETTER,
  reasons: ['dead_message'],
  atMs: NOW_MS,
} as const;

const PAYMENT_ITEM = {
  type: 'payment',
  id: `${LONGEST.terms.uuid}.1`,
  payment: rowOf(LONGEST),
  unresolved: ABOUT.transactionIds,
  moneyConflicts: 0,
  anomalyKinds: ['second_receipt'],
  about: ABOUT,
  reasons: ['unresolved_attempt', 'anomaly'],
  atMs: NOW_MS,
} as const;

const GROUP = { merchantId: MERCHANT_ID, oldestAtMs: NOW_MS - WEEK_MS, newestAtMs: NOW_MS };

const ENDS = [
  { method: 'M_PESA', status: 'succeeded', failureReason: null, payments: 1_234 },
  { method: 'M_PESA', status: 'failed', failureReason: 'declined', payments: 12 },
  { method: null, status: 'expired', failureReason: null, payments: 2 },
  { method: 'TELE_BIRR_USSD', status: 'succeeded', failureReason: null, payments: 1 },
  { method: 'TELE_BIRR_USSD', status: 'failed', failureReason: 'misconfigured', payments: 3 },
] as const;

function healthOf<Name extends string>(environment: Name) {
  return {
    environment,
    reportedAtMs: NOW_MS,
    eventsByStatus: { queued: 3, dead: 2 },
    oldestUndelivered: EVENT_ROWS[0] ?? null,
    endsSinceYesterday: ENDS,
    endsSinceWeek: ENDS,
    timesToPay: [{ method: 'M_PESA' as const, medianMs: 41_000, payments: 20 }],
  };
}

const CHECK: SelfCheck = {
  startedAtMs: NOW_MS,
  finishedAtMs: NOW_MS,
  checks: [
    { name: 'payments-worker', state: 'ok', finding: 'version', details: { id: LONGEST_NAME } },
    {
      name: 'database',
      state: 'wrong',
      finding: 'unmigrated',
      details: { names: '0003_gateway_settings.sql, 0004_backup.sql' },
    },
    { name: 'kefel-webhook-retries', state: 'wrong', finding: 'silent', details: { seconds: 60 } },
    { name: 'payment', state: 'ok', finding: 'paid', details: { seconds: 1 } },
  ],
};

const MODES: Modes = {
  maintenance: { startedAtMs: NOW_MS, by: LONGEST_NAME, reason: LONGEST_NAME },
  membersReadOnly: { startedAtMs: NOW_MS, by: LONGEST_NAME },
};

/** Every subject with the longest texts, and a channel in each state. */
const ALERTS: AlertsState = {
  open: SUBJECT_IDS.map((subject) => ({
    subject,
    count: 1_234,
    sinceAtMs: NOW_MS,
    merchantIds: Array.from({ length: 5 }, () => MERCHANT_ID),
    merchants: 1_234,
    details: ['ETHSWITCH_NBG', 'kefel-provider-reports'],
  })),
  channels: [
    {
      name: 'telegram',
      isSetUp: true,
      problem: null,
      waiting: 20,
      sentAtMs: NOW_MS,
      error: 'Telegram answered 400: it does not know the chat, or the bot is not in it',
    },
    { name: 'webhook', isSetUp: true, problem: null, waiting: 0, sentAtMs: NOW_MS, error: null },
    {
      name: 'email',
      isSetUp: true,
      problem: 'ALERT_EMAIL_TO needs the binding ALERT_EMAIL: run `npm run setup`',
      waiting: 1,
      sentAtMs: null,
      error: null,
    },
  ],
  heartbeat: { isSetUp: true, problem: 'ALERT_HEARTBEAT_URL must begin with https://' },
  lookedAtMs: NOW_MS,
  beatAtMs: NOW_MS,
};

const NO_ALERTS: AlertsState = {
  open: [],
  channels: CHANNEL_NAMES.map((name) => ({
    name,
    isSetUp: false,
    problem: null,
    waiting: 0,
    sentAtMs: null,
    error: null,
  })),
  heartbeat: { isSetUp: false, problem: null },
  lookedAtMs: null,
  beatAtMs: null,
};

const HEALTH: Awaited<ReturnType<PaymentsPlane['operator']['readHealth']>> = {
  atMs: NOW_MS,
  modes: MODES,
  d1Ms: 12,
  d1SizeBytes: 9e9,
  d1SizeBytesMax: 1e10,
  d1IsNearlyFull: true,
  backup: { finishedAtMs: NOW_MS, membersFinishedAtMs: NOW_MS, failingBooks: 2 },
  lostBooks: [{ environment: 'production', merchantId: MERCHANT_ID, volume: 0, lostAtMs: NOW_MS }],
  queues: [
    {
      queue: 'kefel-provider-reports',
      backlog: null,
      backlogBytes: null,
      oldestAtMs: null,
      unknown: 'Cloudflare reported no metrics',
    },
    { queue: 'kefel-webhooks', backlog: 12, backlogBytes: 1, oldestAtMs: NOW_MS, unknown: null },
  ],
  deadLetters: { 'kefel-webhooks': 1 },
  environments: [healthOf('production'), healthOf('sandbox')],
  misconfiguredRails: [
    {
      environment: 'production',
      method: 'ETS_SWITCH',
      secret: 'RAIL_ETS_SWITCH_PRODUCTION',
      state: 'misconfigured',
      rail: null,
      problem: 'privateKey is missing',
    },
  ],
};

const DETAILS = {
  claims: [],
  intent: LONGEST,
  history: HISTORY,
  events: EVENTS,
  review: { note: LONGEST_NAME, reviewedBy: LONGEST_NAME, reviewedAtMs: NOW_MS },
  retention: {
    hold: {
      reason: LONGEST_NAME,
      operator: LONGEST_NAME,
      heldAtMs: NOW_MS,
      untilMs: NOW_MS + 500 * 24 * HOUR_MS,
      changedAtMs: NOW_MS,
    },
    endsAtMs: NOW_MS + 500 * 24 * HOUR_MS,
  },
};

/** In production, where the operator returns the money or looks it up. */
const WAITING_REFUNDS: typeof PAID = {
  ...PAID,
  terms: { ...PAID.terms, environment: 'production' },
  refunds: [
    refundWith({
      reference: 'E1B90280PNQ1CAY72NHZ',
      status: 'requires_action',
      actionReason: 'not_enabled',
    }),
    refundWith({ id: 'refund-2', reference: 'K3W8N5PX2T9B4ZC7VM6E', status: 'unresolved' }),
  ],
};

const BANKS = [
  { code: 'COOP', name: 'Cooperative Bank of Oromia', supportsWithdrawal: true },
  { code: 'DBE', name: LONGEST_NAME, supportsWithdrawal: false },
];

const AUDIT = { audit: { entries: [] } };

const NOTIFICATIONS = '/dashboard/sandbox/notifications';

function notifications(
  people: readonly object[],
  ways: Ways,
  links: readonly ShownLink[] = [],
): Answers {
  return {
    notifications: { ways },
    webhooks: { settings: { ...WEBHOOK_SETTINGS, endpoints: [ENDPOINT, ...people] } },
    links: { list: pageOf(links) },
  } as Answers;
}

/** A group that left, a mailbox of one link, and a chat of one till. */
const PEOPLE = [
  {
    ...ENDPOINT,
    url: 'telegram:',
    description: LONGEST_NAME,
    language: 'am',
    eventTypes: WIRE_EVENT_TYPES,
    isToldNeeds: true,
    pausedAtMs: NOW_MS,
  },
  {
    ...ENDPOINT,
    url: 'mailto:h…@example.com',
    description: '',
    language: 'en',
    paymentLinkUniqueId: LONGEST_LINK.link.id,
  },
  { ...ENDPOINT, url: 'telegram:', language: 'en', tillId: 'mem_1', tillName: LONGEST_NAME },
];

const CONNECTING: ShownConnection = {
  ...{ id: 'c1', expiresAtMs: NOW_MS + HOUR_MS, triesLeft: 5, endpointId: null, address: null },
  links: {
    person: 'https://t.me/kefel_test_bot?start=x',
    group: 'https://t.me/kefel_test_bot?startgroup=x',
    code: qrCode('https://t.me/kefel_test_bot?start=x'),
  },
};

const TILL = '/dashboard/sandbox/till';
const TILL_SESSION = { role: 'till', memberId: 'mem_till' } as const;

/** A sale with the largest amount, the longest note and the longest address. */
function saleOf(intent: typeof PAID, context: ViewContext = {}): Answers {
  const { status } = intent;
  const isOpen = status === 'open' || status === 'processing';
  const checkoutUrl = isOpen ? `https://pay.example.com/checkout/${'t'.repeat(86)}` : null;
  return {
    till: {
      sale: {
        view: checkoutView(intent, NOW_MS, context),
        uniqueId: `TILL-${'W'.repeat(16)}`,
        note: LONGEST_NAME,
        tillName: LONGEST_NAME,
        createdAtMs: NOW_MS,
        expiresAtMs: NOW_MS + HOUR_MS / 4,
        amountMinor: LARGEST_MINOR,
        checkoutUrl,
        code: checkoutUrl && qrCode(checkoutUrl),
        receiptUrl: isOpen ? null : `https://pay.example.com/receipt/${'t'.repeat(86)}`,
      },
    },
  };
}

function sales(rows: typeof ROWS): Answers {
  const shown = rows.map((row) => ({
    ...row,
    uniqueId: `TILL-${'W'.repeat(16)}`,
    amountMinor: LARGEST_MINOR,
    note: LONGEST_NAME,
    tillName: LONGEST_NAME,
  }));
  const sum = {
    currency: 'ETB' as const,
    payments: rows.length,
    amountMinor: LARGEST_MINOR,
    refundedMinor: 150_050,
  };
  return {
    till: {
      sales: {
        page: { rows: shown, previousCursor: null, nextCursor: 'next' },
        ...(rows.length > 0 && { sum }),
      },
    },
  };
}

const SALE = `${TILL}/TILL-${'W'.repeat(16)}`;
const WAITING: typeof PAID = {
  ...PAID,
  status: 'open',
  attempts: [],
  refunds: [],
  paidAttemptId: null,
  endedAtMs: null,
  terms: { ...PAID.terms, expiresAtMs: NOW_MS + HOUR_MS / 4 },
};
const FAILED_TRY: typeof PAID = { ...WAITING, attempts: FAILED.attempts };

/** Each page once with everything at its longest, and each other state that looks different. */
export const BACK_OFFICE_GALLERY = {
  components: async (request) => answerPage({ request }, <ComponentsPage />),
  overview: dashboard('/dashboard/sandbox/overview', overview(false)),
  'overview-fullest': dashboard('/dashboard/production/overview', fullestOverview()),
  'overview-first': dashboard('/dashboard/production/overview', firstDay()),
  payments: dashboard(PAYMENTS, list(ROWS)),
  'payments-first': dashboard(PAYMENTS, list([])),
  'payments-none': dashboard(`${PAYMENTS}?status=expired`, list([])),
  'payments-suspended': dashboard(PAYMENTS, list(ROWS), { isSuspended: true }),
  'payments-paused': dashboard(PAYMENTS, list(ROWS), {
    areChangesPaused: true,
    isInMaintenance: true,
  }),
  'payments-same-order': dashboard(PAYMENTS, list(TWICE_ROWS)),
  'payments-viewer': dashboard('/dashboard/production/payments', list(ROWS), { role: 'viewer' }),
  'payment-longest': dashboard(pathOf(LONGEST), payment(LONGEST)),
  'payment-paid': dashboard(pathOf(PAID), payment(PAID)),
  'payment-processing': dashboard(pathOf(PROCESSING), payment(PROCESSING)),
  'payment-failed': dashboard(pathOf(FAILED), payment(FAILED)),
  'payment-cashier': dashboard(pathOf(PAID), payment(PAID), { role: 'cashier' }),
  'payment-anomalous': dashboard(pathOf(ANOMALOUS), payment(ANOMALOUS)),
  'payment-same-order': dashboard(pathOf(TWICE), payment(TWICE, [OTHER_TRY])),
  'payment-deleted': dashboard(pathOf(LONGEST), {
    payments: { read: { type: 'deleted', row: rowOf(LONGEST), keptDays: 400 } },
  }),
  'did-pay': dashboard('/dashboard/sandbox/did-pay', {}),
  'did-pay-yes': didPay({
    payments: [
      {
        ...rowOf(PAID),
        refundedMinor: 0,
        openRefunds: 0,
        customerName: 'Almaz',
        maskedPhone: '251*****4567',
        match: { field: 'receipt', value: 'CJK7ABC123' },
      },
    ],
    isFull: false,
    elsewhere: 'not_asked',
  }),
  'did-pay-several': didPay({ payments: ROWS, isFull: true, elsewhere: 'not_asked' }),
  'did-pay-elsewhere': didPay({ payments: [], isFull: false, elsewhere: 'another_merchant' }),
  'did-pay-nowhere': didPay({ payments: [], isFull: false, elsewhere: 'nowhere' }),
  refunds: dashboard('/dashboard/sandbox/refunds', { lists: { refunds: pageOf(REFUND_ROWS) } }),
  'refunds-none': dashboard('/dashboard/sandbox/refunds', { lists: { refunds: pageOf([]) } }),
  webhooks: dashboard(WEBHOOKS, {
    webhooks: {
      settings: WEBHOOK_SETTINGS,
    },
  }),
  'webhooks-new': dashboard(WEBHOOKS, {
    webhooks: {
      settings: {
        endpoints: [],
        failing: [
          {
            endpoint: 'https://shop.example.com',
            failingSinceMs: NOW_MS,
            lastFailureAtMs: NOW_MS,
            lastError: 'not sent: host is an IP address',
            pausedAtMs: null,
          },
        ],
        signatureHeader: null,
        secrets: [],
        keys: [],
        apiOrigin: null,
      },
    },
  }),
  endpoint: dashboard(`${WEBHOOKS}/endpoints/whe_1`, {
    webhooks: { endpoint: { endpoint: ENDPOINT, secrets: SECRETS } },
  }),
  events: dashboard(`${WEBHOOKS}/events`, {
    lists: { events: { page: pageOf(EVENT_ROWS), endpoints: [ENDPOINT] } },
  }),
  'events-none': dashboard(`${WEBHOOKS}/events`, {
    lists: { events: { page: pageOf([]), endpoints: [] } },
  }),
  event: dashboard(`${WEBHOOKS}/events/${encodeURIComponent(LONGEST.terms.uniqueId)}/4`, {
    events: {
      read: {
        uniqueId: LONGEST.terms.uniqueId,
        sequence: 4,
        eventId: EVENTS[0]?.eventId ?? '',
        type: 'payment_succeeded',
        createdAtMs: NOW_MS,
        requestBody: JSON.stringify({ body: JSON.stringify({ id: LONGEST.terms.uniqueId }) }),
        fixedHeaders: { 'content-type': 'application/json; charset=utf-8' },
        deliveries: EVENTS.map((event) => ({
          ...event,
          destination: ENDPOINT.url,
          hasEndpoint: true,
        })),
      } as unknown as Awaited<ReturnType<PaymentsPlane['events']['read']>>,
    },
  }),
  keys: dashboard('/dashboard/sandbox/keys', { settings: { keys: [KEY] } }),
  requests: dashboard('/dashboard/sandbox/requests', {
    lists: { refusedRequests: REFUSED },
  }),
  'requests-none': dashboard('/dashboard/sandbox/requests', { lists: { refusedRequests: [] } }),
  key: dashboard(`/dashboard/sandbox/keys/${KEY.digest}`, { settings: { key: KEY, keys: [KEY] } }),
  links: dashboard('/dashboard/sandbox/links', { links: { list: pageOf([LONGEST_LINK]) } }),
  'links-none': dashboard('/dashboard/sandbox/links', {
    links: { list: { rows: [], previousCursor: null, nextCursor: null } },
  }),
  link: dashboard(`/dashboard/sandbox/links/${LONGEST_LINK.link.code}`, {
    links: {
      link: LONGEST_LINK,
      payments: {
        page: pageOf(ROWS),
        paid: [
          { currency: 'ETB', payments: 12_345, amountMinor: LARGEST_MINOR, refundedMinor: 50 },
          { currency: 'USD', payments: 1, amountMinor: 100, refundedMinor: 0 },
        ],
      },
    },
  }),
  'link-sign': dashboard(`/dashboard/production/links/${LONGEST_LINK.link.code}/sign`, {
    links: {
      sign: {
        ...LONGEST_LINK,
        modules: qrModules(LONGEST_LINK.url),
        bank: { ...BANK_CODE, modules: qrModules('x'.repeat(BANK_CODE_CHARACTERS_MAX)) },
      },
    },
    settings: { branding: { color: null, logo: null } },
  }),
  notifications: dashboard(
    NOTIFICATIONS,
    notifications(PEOPLE, { telegram: true, email: true }, [LONGEST_LINK]),
  ),
  'notifications-none': dashboard(
    NOTIFICATIONS,
    notifications([], { telegram: true, email: false }),
  ),
  'notifications-not-set-up': dashboard(
    NOTIFICATIONS,
    notifications([], { telegram: false, email: false }),
  ),
  'notifications-connecting': dashboard(`${NOTIFICATIONS}/connections/c1`, {
    notifications: { connection: CONNECTING },
  }),
  'notifications-address': dashboard(`${NOTIFICATIONS}/connections/c1`, {
    notifications: {
      connection: { ...CONNECTING, links: null, address: 'mailto:h…@example.com' },
    },
  }),
  'link-new': dashboard('/dashboard/sandbox/links/new', {}),
  till: dashboard(TILL, sales(ROWS), TILL_SESSION),
  'till-none': dashboard('/dashboard/production/till', sales([]), TILL_SESSION),
  'till-owner': dashboard(`${TILL}?day=2025-11-21`, sales(ROWS)),
  'till-waiting': dashboard(SALE, saleOf(WAITING), TILL_SESSION),
  'till-failed-try': dashboard(SALE, saleOf(FAILED_TRY), TILL_SESSION),
  'till-prompt': dashboard(`${SALE}/prompt`, saleOf(WAITING), TILL_SESSION),
  'till-prompted': dashboard(SALE, saleOf(PROCESSING), TILL_SESSION),
  'till-paid': dashboard(SALE, saleOf(PAID), TILL_SESSION),
  'till-paid-cashier': dashboard(SALE, saleOf(LONGEST), { role: 'cashier' }),
  'till-expired': dashboard(SALE, saleOf({ ...WAITING, status: 'expired' }), TILL_SESSION),
  methods: dashboard('/dashboard/sandbox/methods', { methods: { standings: STANDINGS } }),
  branding: dashboard('/dashboard/branding', {
    settings: {
      branding: { color: '#7a3b12', logo: null },
      business: BUSINESS,
      bankCode: { text: '000201', code: BANK_CODE },
    },
  }),
  audit: dashboard('/dashboard/audit', AUDIT),
  team: dashboard('/dashboard/team', {}),
  member: dashboard('/dashboard/team/members/mem_viewer', {}),
  account: dashboard('/dashboard/account', {}),
  'sign-in': dashboard('/dashboard/sign-in', {}),
  'not-found': async (request) => noticePage({ request }, 'not_found'),
  home: async (request) => answerPage({ request }, <HomePage sourceUrl={null} />),
  'desk-attention': desk('/operator', {
    attentionGroups: {
      items: [
        { ...GROUP, reason: 'dead_message', merchantId: null, items: 1, item: LETTER_ITEM },
        { ...GROUP, reason: 'unresolved_attempt', items: 1, item: PAYMENT_ITEM },
        { ...GROUP, reason: 'delivery_undeliverable', items: 1_000, item: null },
      ],
      environment: 'production',
      nextCursor: 'next',
      merchantNames: { [MERCHANT_ID]: LONGEST_NAME },
      unlisted: [{ environment: 'production', merchantId: MERCHANT_ID, items: 7 }],
    },
  }),
  'desk-calm': desk('/operator', {
    attentionGroups: {
      items: [],
      environment: 'production',
      nextCursor: null,
      merchantNames: {},
      unlisted: [],
    },
  }),
  'desk-group': desk(`/operator/attention/production/unresolved_attempt/${MERCHANT_ID}?all=1`, {
    describedAttention: {
      items: [PAYMENT_ITEM, { ...PAYMENT_ITEM, reasons: ['unresolved_attempt'] }],
      nextCursor: 'next',
      merchantNames: {},
    },
    knownMerchant: MERCHANT,
  }),
  'desk-chosen': desk(
    `/operator/attention/production/unresolved_attempt/${MERCHANT_ID}/unpaid?item=1&item=2`,
    { chosenItems: [PAYMENT_ITEM, PAYMENT_ITEM] },
  ),
  'desk-payments': desk(`/operator/payments?merchant=${MERCHANT_ID}`, {
    findPayments: FOUND,
  }),
  'desk-payment': desk(deskPathOf(LONGEST), {
    paymentDetails: DETAILS as unknown as Awaited<
      ReturnType<PaymentsPlane['operator']['paymentDetails']>
    >,
  }),
  'desk-unresolved': desk(deskPathOf(PROCESSING), {
    paymentDetails: { ...DETAILS, intent: PROCESSING } as unknown as Awaited<
      ReturnType<PaymentsPlane['operator']['paymentDetails']>
    >,
  }),
  'desk-refunds': desk(deskPathOf(PAID), {
    paymentDetails: {
      ...DETAILS,
      intent: WAITING_REFUNDS,
      repeatableRefunds: ['refund-2'],
      secondOperatorAboveMinor: null,
    } as unknown as Awaited<ReturnType<PaymentsPlane['operator']['paymentDetails']>>,
  }),
  'desk-left': desk(deskPathOf(PROCESSING), {
    paymentDetails: { ...DETAILS, intent: LEFT } as unknown as Awaited<
      ReturnType<PaymentsPlane['operator']['paymentDetails']>
    >,
  }),
  'desk-review': desk(`${deskPathOf(PROCESSING)}/review`, {
    paymentDetails: { ...DETAILS, intent: PROCESSING } as unknown as Awaited<
      ReturnType<PaymentsPlane['operator']['paymentDetails']>
    >,
  }),
  'desk-hold': desk(`${deskPathOf(PAID)}/hold`, {
    paymentDetails: { ...DETAILS, intent: PAID } as unknown as Awaited<
      ReturnType<PaymentsPlane['operator']['paymentDetails']>
    >,
  }),
  'desk-merchants': desk('/operator/merchants', {
    merchants: { items: [MERCHANT], nextCursor: null },
  }),
  'desk-sheet': desk('/operator/sheet?period=2026-11-28', { exportStatements: STATEMENTS }),
  'desk-sheet-none': desk('/operator/sheet', {}),
  'desk-board': desk('/operator/provider-files', { providerBoard: BOARD }),
  'desk-lines': desk('/operator/provider-files/production/TELE_BIRR/lines?open=yes', {
    providerLines: { items: PROVIDER_LINES, nextCursor: '2026-11-28/payment/CK9' },
  }),
  'desk-files': desk(FILES_PATH, {
    providerFiles: { items: PROVIDER_FILES, nextCursor: null },
  }),
  'desk-upload': desk(`${FILES_PATH}/upload?wrong=file`, { providerProfiles: [PROVIDER_PROFILE] }),
  'desk-upload-none': desk(`${FILES_PATH}/upload`, { providerProfiles: [] }),
  'desk-profiles': desk(`${FILES_PATH}/profiles`, {
    providerProfiles: [PROVIDER_PROFILE, { ...PROVIDER_PROFILE, name: LONGEST_NAME }],
  }),
  'desk-profile': desk(
    `${FILES_PATH}/profiles/Portal?refused=validation_failed&wrong=columns.fee`,
    {
      providerProfiles: [PROVIDER_PROFILE],
    },
  ),
  'desk-new-profile': desk(`${FILES_PATH}/new-profile`, { providerProfiles: [] }),
  'desk-profile-delete': desk(`${FILES_PATH}/profiles/Portal/delete`, {
    providerProfiles: [PROVIDER_PROFILE],
  }),
  'desk-import-profile': desk(`${FILES_PATH}/import-profile`, { providerProfiles: [] }),
  'desk-preview': desk(`${FILES_PATH}/upload/${UPLOADED.id}`, {
    providerFile: UPLOADED,
    previewProviderFile: PREVIEW,
  }),
  'desk-preview-wrong': desk(`${FILES_PATH}/upload/${UPLOADED.id}`, {
    providerFile: UPLOADED,
    previewProviderFile: { ...PREVIEW, lines: [], problem: FILE_PROBLEM },
  }),
  'desk-line': lineState('', 'not_paid'),
  'desk-line-decided': lineState('', 'missing'),
  'desk-line-accept': lineState('/accept', 'fee_differs'),
  'desk-line-assign': lineState('/assign?merchant=shop', 'not_ours'),
  'desk-line-assigned': lineState(`/assign/${MERCHANT_ID}/${LONGEST_ID}`, 'double'),
  'desk-merchant': desk(`/operator/merchants/${MERCHANT_ID}`, {
    merchantContent: {
      ...MERCHANT,
      appSchemes: ['shop'],
      sandbox: SETTINGS,
      production: SETTINGS,
    } as unknown as Awaited<ReturnType<PaymentsPlane['operator']['merchantContent']>>,
    merchantKeys: [{ ...KEY, environment: 'sandbox' as const }],
  }),
  'desk-dead-letters': desk('/operator/dead-letters', {
    deadLetters: { items: [LETTER], nextCursor: null },
  }),
  'desk-rails': desk('/operator/rails', {
    readSwitchedOff: [],
    rails: METHODS.map((method, index) => ({
      environment: 'production' as const,
      method,
      secret: `RAIL_${method}_PRODUCTION`,
      state: 'misconfigured' as const,
      rail: null,
      problem: 'privateKey is missing',
      downSinceAtMs: index < 2 ? NOW_MS : null,
      downFor: index === 1 ? [MERCHANT_ID] : null,
    })),
    railOutcomes: [
      {
        environment: 'production',
        method: 'M_PESA',
        status: 'failed',
        atMs: NOW_MS,
        failureReason: 'declined',
      },
    ],
    listBanks: BANKS,
  }),
  'desk-change-bank': desk('/operator/banks/COOP/change', { listBanks: BANKS }),
  'desk-audit': desk('/operator/audit', {}, AUDIT),
  'desk-health': desk('/operator/health', { readHealth: HEALTH, readModes: MODES }),
  'desk-alerts': desk('/operator/alerts', {}, { alerts: { state: ALERTS } }),
  'desk-alerts-none': desk('/operator/alerts', {}, { alerts: { state: NO_ALERTS } }),
  'desk-check': desk('/operator/check', { readSelfCheck: CHECK }),
  'desk-check-waiting': desk('/operator/check', {
    readSelfCheck: {
      checks: [{ name: 'payment', state: 'waiting', finding: 'waiting' }],
      startedAtMs: NOW_MS,
      finishedAtMs: null,
    },
  }),
  'desk-check-none': desk('/operator/check', {
    readSelfCheck: { checks: [], startedAtMs: null, finishedAtMs: null },
  }),
  'desk-begin-maintenance': desk('/operator/health/begin-maintenance', {}),
} as const satisfies Record<string, Answer>;

export type BackOfficeState = keyof typeof BACK_OFFICE_GALLERY;

export const BACK_OFFICE_STATES = Object.keys(BACK_OFFICE_GALLERY) as BackOfficeState[];
