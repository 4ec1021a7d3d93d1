/** The page at `/`, and pages for addresses without one. */
export const home = {
  product: 'Kefel',
  heading: 'A payment gateway for merchants in Ethiopia',
  shopTitle: 'For your shop',
  shopLead:
    'Your customers pay by telebirr, CBE Birr, M-PESA, eBirr or a bank account. You see each payment on your phone, give money back, and know at night what the day brought. The operator of this gateway opens your account.',
  developerTitle: 'For your developer',
  lead: 'Your server creates a payment with one call. The customer pays the way they like, and a signed webhook tells you the outcome.',
  quickStart: 'Quick start',
  signIn: 'Sign in',
  picture:
    'The checkout page on a phone: the amount, and a list of payment methods with their fees',
  dashboardPicture: 'The dashboard on a phone: the payments of the day with their states',
  proof: {
    promises: 'What no crash can lose',
    tests: 'How each promise is tested',
    figures: 'How fast it is, measured',
  },
  methods: 'Payment methods',
  givesTitle: 'What you get',
  gives: [
    [
      'One API for all methods',
      'Hosted payments on a page of the gateway, or express payments by a method that you choose. Clients for TypeScript, PHP and Python.',
    ],
    [
      'A page for every phone',
      'Light enough for a slow line, without an app or JavaScript, in English, Amharic, Afaan Oromo and Tigrinya. Fees are shown before the customer chooses.',
    ],
    [
      'Webhooks that arrive',
      'Signed, tried ten times over days, and sent again when you ask. The dashboard shows every try.',
    ],
    [
      'Refunds',
      'All of a payment or a part of it, by the API or in the dashboard, within limits that protect you.',
    ],
    [
      'A sandbox with every failure',
      'An amount decides how a test payment ends: declined, late, paid twice. No money moves.',
    ],
    [
      'A dashboard for your team',
      'Find payments, see the day’s figures, export CSV. Members sign in with passkeys, each with a role.',
    ],
  ],
  ways: 'Where to go',
  payingTitle: 'Here to pay?',
  paying: 'Open the link that the merchant gave you. Each payment has its own page.',
  missingTitle: 'Page not found',
  missing: 'There is no page at this address. Go on from one of these:',
  home: 'Home',
  homeNote: 'What this gateway is',
  dashboard: 'Dashboard',
  dashboardNote: 'For merchants: payments, webhooks, API keys',
  docs: 'Documentation',
  docsNote: 'Guides, API, errors, and how to run a gateway',
  source: 'Source code',
  sourceNote: 'All of Kefel, and where to report a fault',
};
