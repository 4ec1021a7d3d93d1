import { h } from 'preact';
import { pageResponse } from '../../src/engine/checkout/page-response.ts';
import {
  ClosedLinkPage,
  LINK_CSS,
  LinkPage,
  PaidLinkPage,
} from '../../src/engine/checkout/pages/payment-link.tsx';
import type { RefusedLinkForm } from '../../src/engine/checkout/refused-link-form.ts';
import type { LinkClosure, PaymentLink } from '../../src/engine/links/payment-link.ts';
import type { MerchantAccess } from '../../src/engine/merchants/access.ts';

/** The states of a payment link's page. */

const LINK: PaymentLink = {
  ...{ id: 'link-honey', code: '0011223344556677', version: 1, createdAtMs: 0, updatedAtMs: 0 },
  title: 'ነጭ ማር ከትግራይ, 1 kg',
  description: 'From the last harvest.\nWe deliver in Addis Ababa.',
  price: { kind: 'fixed', amountMinor: 45_000 },
  currency: 'ETB',
  methods: [],
  askFor: { name: 'NO', phone: 'NO', email: 'NO', note: 'NO' },
  commissionPaidByCustomer: false,
  splits: [],
  validUntilMs: null,
  paymentsMax: null,
  paidText: 'We call you today.\nእናመሰግናለን!',
  returnUrl: null,
  callbackUrl: null,
  metadata: {},
  isActive: true,
};

const ASKS_ALL = {
  askFor: { name: 'REQUIRED', phone: 'REQUIRED', email: 'OPTIONAL', note: 'OPTIONAL' },
} as const satisfies Partial<PaymentLink>;

const OPEN: Partial<PaymentLink> = {
  price: {
    kind: 'open',
    leastMinor: 1_000,
    mostMinor: 500_000,
    suggestionsMinor: [5_000, 10_000, 20_000, 50_000],
  },
};

const ITEMS: Partial<PaymentLink> = {
  price: {
    kind: 'items',
    items: ['Honey, 1 kg', 'Wax candle', 'ሰም', 'A'.repeat(100)].map((name, index) => ({
      ...{ name, type: 'PHYSICAL_PRODUCT', priceMinor: 45_050 + index, quantityMax: 10 },
      description: index === 1 ? 'Burns for eight hours.' : null,
    })),
  },
};

const SELLER: MerchantAccess = {
  ...{ merchantId: 'mer_1', merchantName: 'Addis Books', merchantNumber: 1, bookVolume: 0 },
  ...{ environment: 'sandbox', keyDigest: '', keyName: '', permissions: null, methods: [] },
  ...{ switchedOff: [], limits: {}, appSchemes: [], isInMaintenance: false },
  branding: null,
  business: {
    ...{ legalName: 'Addis Books PLC', tin: null, vatNumber: null },
    ...{ address: 'Bole Road 12, Addis Ababa', contact: '+251111112498' },
  },
};

const OPTIONS = { formTargets: ['https://pay.example.com'], brandCss: LINK_CSS };

type Answer = (request: Request, path: string) => Promise<Response>;

function shown(path: string, changes: Partial<PaymentLink>, seller: MerchantAccess | null) {
  return { link: { ...LINK, ...changes }, seller, path, origin: 'http://localhost' };
}

function open(changes: Partial<PaymentLink> = {}, refused: RefusedLinkForm | null = null): Answer {
  return (request, path) => {
    const page = { ...shown(path, changes, SELLER), refused, token: 'token', query: '' };
    return pageResponse(request, h(LinkPage, page), OPTIONS);
  };
}

function closed(closure: LinkClosure, seller: MerchantAccess | null = SELLER): Answer {
  return (request, path) =>
    pageResponse(request, h(ClosedLinkPage, { ...shown(path, {}, seller), closure }), {
      ...OPTIONS,
      status: 410,
    });
}

function paid(isOpen: boolean): Answer {
  return (request, path) => {
    const payment = { merchantName: 'Addis Books', amountMinor: 45_000, currency: 'ETB' } as const;
    const page = { ...shown(path, {}, SELLER), ...payment, receiptUrl: path, isOpen };
    return pageResponse(request, h(PaidLinkPage, page), OPTIONS);
  };
}

export const LINK_GALLERY = {
  'link-fixed': open(),
  'link-asks': open(ASKS_ALL),
  'link-open': open(OPEN),
  'link-items': open(ITEMS),
  'link-open-wrong': open(
    { ...OPEN, ...ASKS_ALL },
    {
      typed: { suggestion: 'other', amount: '9.99', phone: '12345', email: 'abebe' },
      problems: {
        amount: { kind: 'too_small', limitMinor: 1_000 },
        name: { kind: 'missing' },
        phone: { kind: 'invalid' },
        email: { kind: 'invalid' },
      },
      notice: null,
    },
  ),
  'link-items-wrong': open(ITEMS, {
    typed: { 'quantity-0': '11', 'quantity-1': '1.5' },
    problems: {
      items: { kind: 'too_large', limitMinor: null },
      'quantity-0': { kind: 'too_many', limit: 10 },
      'quantity-1': { kind: 'invalid' },
    },
    notice: null,
  }),
  'link-wait': open(OPEN, {
    typed: { suggestion: 'other', amount: '250' },
    problems: {},
    notice: 'wait',
  }),
  'link-changed': open({}, { typed: {}, problems: {}, notice: 'changed' }),
  'link-busy': open({}, { typed: {}, problems: {}, notice: 'full' }),
  'link-off': closed('off'),
  'link-over': closed('over'),
  'link-sold-out': closed('sold_out'),
  'link-reserved': closed('reserved'),
  'link-of-nobody': closed('off', null),
  'link-paid': paid(true),
  'link-paid-over': paid(false),
} as const satisfies Record<string, Answer>;
