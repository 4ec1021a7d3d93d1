/** What the self-check says on the desk, by the API and on the command line. */
export const selfCheck = {
  title: 'Self-check',
  lead: 'Tries every part of the gateway once, with a sandbox payment from end to end. No money moves, and no provider is called.',
  start: 'Start a check',
  none: 'No check has run yet.',
  started: 'Started',
  summary: {
    waiting: 'Waiting for the parts that answer later. This page reloads by itself.',
    ok: 'Everything works.',
    wrong: 'Something is wrong.',
  },
  checked: 'What was checked',
  toDo: 'To do:',
  states: { ok: 'Works', wrong: 'Wrong', waiting: 'Waiting' },
  tooSoon: 'A check began less than a minute ago.',

  /** What each check is about, and what to do if it is wrong. */
  checks: {
    'payments-worker': {
      title: 'Payments Worker',
      remedy:
        'Deploy the payments Worker, and bind the back office to its entrypoint Payments. Its log says why a call failed.',
    },
    bindings: {
      title: 'Bindings of payments',
      remedy: 'Deploy the payments Worker with all bindings of its wrangler.toml.',
    },
    configuration: {
      title: 'Variables and secrets of payments',
      remedy: 'Correct the variable or secret, and deploy.',
    },
    database: {
      title: 'Database of payments',
      remedy: 'Apply the migrations: npx wrangler d1 migrations apply kefel --remote',
    },
    rails: {
      title: 'Providers',
      remedy: 'Correct the secrets. The page Rails says what is wrong with each.',
    },
    register: {
      title: 'Register of a merchant',
      remedy: 'Look for a failure of Durable Objects at cloudflarestatus.com, then in the log.',
    },
    books: {
      title: 'Merchants’ books',
      remedy:
        'Payments are not affected. Rebuild the books that are named: npm run operator -- rebuild namespace.',
    },
    alerts: {
      title: 'Alerts',
      remedy:
        'Look at the channels on the page Alerts. Correct the one that fails, and send a test message.',
    },
    'daily-run': {
      title: 'Daily run of payments',
      remedy:
        'Check that the payments Worker has its cron trigger, and look for errors of it in the log.',
    },
    backup: {
      title: 'Backup',
      remedy: 'Look for errors of the daily backup in the log, and check that the bucket exists.',
    },
    'kefel-webhooks': {
      title: 'Queue kefel-webhooks',
      remedy:
        'Check that the payments Worker is a consumer of the queue, and that delivery is not paused.',
    },
    'kefel-webhook-retries': {
      title: 'Queue kefel-webhook-retries',
      remedy:
        'Check that the payments Worker is a consumer of the queue, and that delivery is not paused.',
    },
    'kefel-provider-reports': {
      title: 'Queue kefel-provider-reports',
      remedy:
        'Check that the payments Worker is a consumer of the queue, and that delivery is not paused.',
    },
    payment: {
      title: 'Sandbox payment, paid by its alarm',
      remedy: 'Look for alarm_failed in the log of payments. Without alarms no payment expires.',
    },
    event: {
      title: 'Webhook of the payment',
      remedy: 'Look for webhook_delivery_broken in the log, and check the queue kefel-webhooks.',
    },
    book: {
      title: 'Payment in its book',
      remedy: 'Look for errors of MerchantBook in the log. Rebuild the books if they were lost.',
    },
    'back-office-worker': { title: 'Back office Worker', remedy: 'Deploy the back office.' },
    'back-office-bindings': {
      title: 'Bindings of the back office',
      remedy: 'Deploy the back office with all bindings of its wrangler.toml.',
    },
    'back-office-configuration': {
      title: 'Variables and secrets of the back office',
      remedy: 'Correct the variable or secret, and deploy.',
    },
    'back-office-database': {
      title: 'Database of the back office',
      remedy:
        'Apply the migrations: npx wrangler d1 migrations apply kefel-back-office --remote --config back-office/wrangler.toml',
    },
    'back-office-daily-run': {
      title: 'Daily run of the back office',
      remedy:
        'Check that the back office has its cron trigger, and look for errors of it in the log.',
    },
  },

  /** What a check found. */
  findings: {
    version: 'Version {id}',
    bound: 'All {count} are present.',
    unbound: 'Missing: {names}',
    parsed: 'All are valid.',
    unparsed: '{problem}',
    migrated: 'Every migration has run, the last is {newest}.',
    unmigrated: 'Not applied: {names}',
    failed: '{error}',
    rails: 'Connected in production: {methods}',
    rails_unparsed: 'Malformed: {names}',
    books: '{count} were asked, and none has lost payments.',
    books_lost: 'Lost payments: {names}',
    ran: 'Last ended at {at}.',
    overdue: 'Has not ended within a day. Last time: {at}',
    not_run_yet: 'Has not run yet. It runs once a day.',
    switched_off: 'Switched off: this deployment has no bucket.',
    answered: 'Answered.',
    consumed: 'A message was consumed after {seconds} s.',
    paid: 'Paid after {seconds} s.',
    event_ended: 'A consumer handled its event. No server gets it, because a check has no webhook.',
    booked: 'The book shows it as paid.',
    waiting: 'Waiting for the answer.',
    silent: 'Did not answer within {seconds} s.',
    not_stored: 'Not tried, because the database of payments does not answer.',
  },
};
