/** The page at `/`. */
export const home = {
  product: 'Kefel',
  heading: 'A payment gateway for merchants in Ethiopia',
  steps: [
    "A merchant's server creates a payment with one API call.",
    'The customer pays on a hosted page: by telebirr, CBE Birr, EthSwitch, M\u2011PESA or eBirr.',
    'A signed webhook tells the merchant the result.',
  ],
  ways: 'Where to go',
  payingTitle: 'Here to pay?',
  paying: 'Open the link that the merchant gave you. Each payment has its own page.',
  missingTitle: 'Page not found',
  missing: 'The documentation has no page at this address. Its first page lists all pages.',
  dashboard: 'Dashboard',
  dashboardNote: 'For merchants: payments, webhooks, API keys',
  desk: 'Operator desk',
  deskNote: 'For the operator: health, merchants, what needs attention',
  docs: 'Documentation',
  docsNote: 'API, webhooks, deployment, design',
  source: 'Source code',
  sourceNote: 'All of Kefel, and where to report a fault',
};
