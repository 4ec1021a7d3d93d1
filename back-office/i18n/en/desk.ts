/** What the operator's staff read on the desk. */
export const desk = {
  /** The desk's own texts. Those of its list of open problems are below. */
  pages: {
    product: 'Kefel operator desk',
    navigation: 'Desk',
    nav: {
      attention: 'Needs attention',
      payments: 'Payments',
      merchants: 'Merchants',
      deadLetters: 'Dead letters',
      rails: 'Rails',
      audit: 'Audit log',
      health: 'Health',
      check: 'Self-check',
    },
    modes: 'Modes',
    inMaintenance: 'Maintenance: no new payments and refunds.',
    changesArePaused: 'Changes by members are paused.',
    newPayments: 'New payments and refunds',
    taken: 'Taken',
    notTaken: 'Refused for maintenance',
    membersChanges: 'Changes by members',
    allowed: 'Allowed',
    paused: 'Paused',
    beginMaintenance: 'Begin maintenance',
    beginMaintenanceLead:
      'Within 10 seconds, requests for new payments and refunds are answered with 503. Payments in progress, callbacks and webhooks go on.',
    endMaintenance: 'End maintenance',
    endMaintenanceLead: 'Within 10 seconds, new payments and refunds are taken again.',
    pauseChanges: 'Pause changes by members',
    pauseChangesLead:
      'Members of all merchants can sign in and read, but change nothing in the dashboard. Payments, API keys and your own changes go on.',
    resumeChanges: 'Resume changes by members',
    resumeChangesLead: 'Members can change things in the dashboard again.',
    signedInAs: 'Signed in as',
    recordedAs: 'The audit log will name you:',
    about: 'What this is about',
    choose: 'Choose…',
    cancel: 'Cancel',
    environment: { sandbox: 'Sandbox', production: 'Production' },
    none: 'None',
    unknown: 'Currently unknown',
    next: 'Next page',
    first: 'First page',
    d1: 'D1 response time',
    d1Size: 'D1 size',
    sizeOf: (gigabytes: string, gigabytesMax: number, percent: number) =>
      `${gigabytes} GB of ${gigabytesMax} GB (${percent} %)`,
    nearlyFull: 'Nearly full',
    lastBackup: 'Last backup',
    failingBooks: (books: number) => `Books not copied: ${books}`,
    milliseconds: 'ms',
    needed: 'View everything that needs attention',
    queues: 'Queues',
    queue: 'Queue',
    backlog: 'Messages',
    oldest: 'Oldest',
    deadLetters: 'Dead letters',
    rails: 'Payment methods with an invalid secret',
    method: 'Method',
    problem: 'Problem',
    events: 'Undelivered events',
    state: 'State',
    count: 'Count',
    eventStates: {
      queued: 'Queued',
      waiting: 'Waiting to retry',
      dead: 'Failed',
      undeliverable: 'No endpoint',
      paused: 'Paused',
    },
    oldestUndelivered: 'Oldest undelivered event',
    ends: 'Payment methods',
    left: 'Left',
    rate: 'Paid rate',
    rateOfWeek: 'Rate in 7 days',
    timeToPay: 'Time to pay',
    seconds: (count: string) => `${count} s`,
    rateHint:
      'Since yesterday, unless a column says otherwise. The rate leaves out customers who left, canceled or let the payment expire. The time to pay is the median from creation to payment, of each merchant’s last 20.',
    reported: 'Merchants’ books report hourly, last',
    refresh: 'Ask all books now',
    sinceYesterday: 'Since yesterday',
    sinceWeek: 'Last 7 days',
    why: 'Reason',
    endings: { succeeded: 'Paid', failed: 'Failed', expired: 'Expired' },
    reasons: {
      declined: 'Declined by the provider or the bank',
      insufficient_funds: 'Not enough money',
      canceled_by_customer: 'Canceled by the customer',
      wrong_pin: 'Wrong PIN',
      abandoned: 'Abandoned by the customer',
      timed_out: 'Not confirmed in time',
      rail_unavailable: 'Payment method unavailable',
      misconfigured: 'Provider rejects the gateway: check the secret',
    },
    noMethod: 'No method chosen',
    attentionEmpty: 'Nothing needs attention.',
    unlisted: (items: number) => `and ${items} more of`,
    notAllAsked: (asked: number) =>
      `Only the ${asked} merchants that were active last were asked. Name the merchant to search the others.`,
    what: 'Issue',
    toDo: 'To do',
    payment: 'Payment',
    amount: 'Amount',
    merchant: 'Merchant',
    age: 'Age',
    where: 'Where',
    when: 'When',
    ageUnits: {
      minutes: (count: string) => `${count} min`,
      hours: (count: string) => `${count} h`,
      days: (count: string) => `${count} d`,
    },

    searchLabel: 'Payment ID, transactionId, provider reference, receipt or event ID',
    searchHint: 'Enter the whole ID. Give the merchant too, to search by phone number.',
    searchMerchant: 'Merchant ID',
    searchMerchantHint: 'Optional. Alone, it lists the merchant’s newest payments.',
    search: 'Search',
    foundNone: 'No payments found.',
    phoneNeedsMerchant: 'To search by phone number, enter the merchant ID as well.',

    paymentTitle: (uniqueId: string) => `Payment ${uniqueId}`,
    environmentLabel: 'Environment',
    description: 'Description',
    created: 'Created',
    expires: 'Expires',
    endedAt: 'Ended',
    reference: 'transactionId',
    charged: 'Customer pays',
    attemptState: 'Attempt',
    eventsOfPayment: 'Events',
    tries: 'Delivery attempts',
    lastAnswer: 'Last response',
    lastReview: 'Last review:',
    keeping: 'Retention',
    deletedAt: 'Deleted on',
    heldBy: 'Held by',
    heldUntil: 'Held until',
    heldUntilHint:
      'A day such as 2027-12-31. Leave it empty to hold the payment until it is released.',
    holdOpen: 'until it is released',
    holdPayment: 'Hold the payment',
    holdLead:
      'Neither retention nor a customer’s request deletes a held payment. Only operators see the hold.',
    releasePayment: 'Release the payment',
    releaseLead: 'If its retention has ended, the payment is then deleted at once.',
    markReviewed: 'Mark as reviewed',
    nothingToRecord: 'Nothing to record?',
    reviewLead:
      'The payment leaves the list until there is something new. Nothing else changes. Describe what you found and did.',
    recordPaid: 'Record as paid',
    recordUnpaid: 'Record as not paid',
    unpaidFrom: 'The provider may still take money. It can be recorded as not paid after',
    paidLead:
      'Only when the provider’s own records show this payment. The payment becomes paid, and the merchant is notified.',
    paidNeedsName:
      'A production payment is recorded as paid only under a proved name. Sign in with a secret that only you have, or through Cloudflare Access.',
    paidNeedsTwo:
      'Two operators must agree that this amount was paid: one records, another one confirms.',
    confirmPaid: 'Confirm as paid',
    confirmPaidLead:
      'Look it up in the provider’s records yourself. Confirm only if they show this payment. It then becomes paid, and the merchant is notified.',
    sameReceiptAs: 'Same receipt:',
    unpaidLead:
      'Only when the provider’s own records show that no money moved. The attempt fails, and the customer may pay again.',
    receipt: 'Receipt',
    receiptHint: 'The provider’s number of the payment.',
    note: 'Note',
    noteHint: 'What you found, and where. The merchant’s owners can read it.',
    reasonHint: 'For the audit log. The merchant’s owners can read it.',

    noMembers: 'No members yet.',
    role: 'Role',
    passkeys: 'Passkeys',
    openLinks: 'Open invitations',
    invitedBy: 'Invited by',
    apiKeys: 'API keys',
    limit: 'Largest payment',
    refundLimits: 'Limit refunds',
    refundLimitsLead:
      'Holds for the next refund, in the sandbox and in production. Refunds that were requested stay.',
    refundAgeDays: 'Refunds up to days after payment',
    refundDaily: 'Largest sum of refunds in a day',
    refundDailyHint:
      'In birr, and as much in dollars. Empty: any amount. 0: no refunds. A day ends at midnight in Addis Ababa.',
    noLimit: 'Any amount',
    offered: 'Offered by you',
    enabled: 'Enabled by the merchant',
    commission: 'Commission',
    yes: 'Yes',
    no: 'No',
    addMerchant: 'Add merchant',
    addMerchantLead:
      'Creates a merchant who can use every method in the sandbox and in production. Then invite the first owner, who creates API keys in the dashboard.',
    merchantNameHint: 'Customers see it on the checkout page.',
    merchantIdHint:
      'Part of every key of the merchant, such as abebe-coffee. It can never be changed.',
    commissionHint: 'In percent, for all methods. The command line sets it for each method.',
    invite: 'Invite a member',
    inviteLead:
      'Creates a link that works once, for 7 days. Make sure that you know the person: the link opens the merchant’s dashboard.',
    suspend: 'Suspend the merchant',
    suspendLead:
      'Within 10 seconds its API keys stop working, and its members can change nothing. Payments in progress continue, and webhooks are delivered.',
    reactivate: 'End the suspension',
    reactivateLead: 'Within 10 seconds the merchant’s API keys work again.',
    link: 'Invitation link',
    linkOnce: 'Copy the link and give it only to this person. It is shown here for 10 minutes.',

    deadLetter: 'Dead letter',
    lettersLead:
      'Messages that a queue has given up. A letter waits 30 days, and what a provider reported as long as a payment is kept.',
    lettersEmpty: 'No dead letters.',
    kind: 'Kind',
    letterKinds: {
      result: 'What a provider reported',
      start: 'Start of an attempt',
      delivery: 'Webhook delivery',
      unknown: 'Unknown',
    },
    letterStates: {
      waiting: 'Waiting',
      retried: 'Retried',
      discarded: 'Discarded',
      expired: 'Expired',
    },
    sent: 'Sent',
    gaveUp: 'Given up',
    timesGivenUp: 'Times given up',
    letterExpired:
      'No one handled the letter in time, so its message was deleted. The payment sends its own messages again until they arrive; look up what a provider reported with the provider.',
    retries: 'Retries',
    handled: 'Handled by',
    message: 'Message',
    unreadable: 'The message was deleted, or its data key was removed.',
    retryLetter: 'Retry',
    retryLead: 'Sends the message to its queue again. This is always safe.',
    discardLetter: 'Discard',
    discardLead:
      'Deletes the message for good. What a provider reported may exist nowhere else: first make sure that the payment shows it.',

    railsLead:
      'Each payment method, and when a payment by it last ended. A method that cannot be used has no secret or an invalid one. A check signs in at the provider and moves no money.',
    secret: 'Secret',
    lastPaid: 'Last paid',
    lastFailed: 'Last failed',
    railStates: {
      configured: 'Configured',
      not_configured: 'No secret',
      misconfigured: 'Invalid secret',
    },
    simulated: 'Simulated',
    probe: 'Check',
    probeOutcome: {
      accepted: 'The provider accepts the secret.',
      reached: 'Reached, but the secret is not proved.',
      refused: 'Refused.',
      unreachable: 'Not reached.',
    },
    untried: 'Not tried',
    toCheck: 'Settings to check',

    /** What was done, on the page that follows. */
    done: {
      resolved: 'The outcome was recorded.',
      reviewed: 'Marked as reviewed.',
      decided: 'The outcome of the refund was recorded.',
      sent_again: 'The refund is being sent again.',
      proposed: 'The decision was stored. Another operator must confirm it.',
      suspended: 'The merchant is suspended.',
      active: 'The merchant is active.',
      refund_requested: 'The refund was requested.',
      refunds_limited: 'The limits for refunds hold from now on.',
      invited: 'The invitation was created.',
      merchant_created: 'The merchant was created. Invite the first owner now.',
      maintenance_began: 'Maintenance has begun. It holds everywhere within 10 seconds.',
      maintenance_ended: 'Maintenance has ended. New payments are taken within 10 seconds.',
      changes_paused: 'Members can change nothing from now on.',
      changes_resumed: 'Members can change things again.',
      letter_sent: 'The message was sent to its queue again.',
      letter_discarded: 'The message was deleted.',
      held: 'The payment is held.',
      released: 'The payment is not held any more.',
    },
    notDone: {
      attempt_not_pending: 'The attempt has an outcome already. Nothing was changed.',
      refund_not_resolvable:
        'The refund has an outcome already, or its provider may still answer. Nothing was changed.',
      letter_not_waiting: 'The message had already been discarded, or has expired.',
      letter_not_found: 'There is no such dead letter.',
      letter_unreadable: 'The message cannot be read, because its data key was removed.',
      letter_not_sent: 'The queue did not accept the message. Try again in a moment.',
    },
    /** Why a change was refused. Nothing was changed. */
    refused: {
      validation_failed: 'Correct the marked fields. Nothing was changed.',
      receipt_used:
        'Another payment or attempt has this receipt, and a receipt counts once. Search the desk for it. Nothing was changed.',
      window_open:
        'The provider may still take money for this attempt, so it is not certainly unpaid. Nothing was changed.',
      query_due:
        'The gateway is asking the provider once more. Try again in a minute. Nothing was changed.',
      refund_too_large: 'That is more than what is left of the payment. Nothing was changed.',
      refund_too_late:
        'The payment is older than the merchant’s refunds may be. Nothing was changed.',
      refund_daily_limit:
        'The merchant’s refunds of today would exceed their limit. Nothing was changed.',
      maintenance:
        'The gateway is in maintenance and takes no new refunds. End maintenance first. Nothing was changed.',
      payment_not_paid: 'There is nothing to refund. Nothing was changed.',
      too_many_refunds: 'The payment has as many refunds as are possible. Nothing was changed.',
      refund_needs_review:
        'The customer got more back than was paid. Review the payment first. Nothing was changed.',
      refund_not_repeatable:
        'The refund has an outcome, or the provider’s answer may still come. Nothing was changed.',
      refund_repeat_not_offered:
        'The provider would not recognize this refund, so it cannot be sent again. Nothing was changed.',
      second_operator_needed: 'You recorded this yourself. Another operator must confirm it.',
      operator_not_verified:
        'This needs a proved name, and yours is not. Sign in with a secret that only you have, or through Cloudflare Access. Nothing was changed.',
      attempt_not_pending: 'The attempt has an outcome already. Nothing was changed.',
      merchant_exists: 'Another merchant has this ID. Nothing was changed.',
      merchant_suspended: 'The merchant is suspended. End the suspension first.',
      other: 'The change was refused. Nothing was changed.',
    },
    fieldProblems: {
      receipt: 'Enter the receipt: 1 to 64 letters, digits and signs without spaces.',
      reference: 'Enter the provider’s number: 1 to 64 letters, digits and signs without spaces.',
      reason: 'Give a reason.',
      note: 'Describe what you found, in up to 500 characters.',
      name: 'Enter a name, in up to 100 characters.',
      id: 'Enter 1 to 64 letters, digits, hyphens and underscores.',
      commissions: 'Enter a percentage such as 2.5, or nothing.',
      role: 'Choose a role.',
      amountMinor: 'Enter an amount such as 1500 or 99.50.',
      until: 'Enter a day from today on, such as 2027-12-31.',
      refundAgeDaysMax: 'Enter 1 to 400 days.',
      refundDailyMaxMinor: 'Enter an amount such as 50000.00, or nothing for any amount.',
    },
    merchantsEmpty: 'No merchants yet.',
    name: 'Name',
    id: 'ID',
    people: 'Members',
    since: 'Created',
    status: { active: 'Active', suspended: 'Suspended' },
    problems: {
      401: {
        title: 'Operator sign-in',
        text: 'Enter your name, and the operator secret as the password.',
      },
      403: {
        title: 'This form is out of date',
        text: 'Go back, reload the page and try again. Nothing was changed.',
      },
      404: { title: 'Page not found', text: 'The address is wrong, or there is no such thing.' },
      405: { title: 'Page not found', text: 'The address cannot be opened this way.' },
      429: { title: 'Too many attempts', text: 'Wait a minute, then try again.' },
      503: { title: 'Temporarily unavailable', text: 'Try again in a moment.' },
      other: { title: 'That did not work', text: 'The log has the details.' },
    },
  },

  /** Refunds on a payment's page, and what operators do about them. */
  refunds: {
    title: 'Refunds',
    refundOf: 'Refund',
    numbersOf: 'The numbers of refund',
    ofPayment: 'Part of the payment',
    receipt: 'Receipt of the payment',
    railReference: 'Provider’s number of the refund',
    railReferenceHint: 'As the provider’s records show the refund or reversal.',
    merchantReason: 'Merchant’s reason',
    unresolvedWhy:
      'The provider was asked to return the money, and it is unknown whether it did. The gateway never asks twice.',
    steps: {
      find: 'Find the payment in the provider’s portal by one of the numbers below.',
      check: 'Make sure that the portal shows no refund or reversal of it yet.',
      give: (amount: string) =>
        `Return ${amount} there, to the account that paid. If the portal cannot, ask the provider to do it.`,
      record:
        'Record it here as returned, with the provider’s number of the refund. The merchant is then notified.',
      otherwise:
        'If the money cannot be returned, record it as not returned. The merchant is notified and can refund again.',
    },
    unresolvedSteps: {
      find: 'Find the payment in the provider’s portal by one of the numbers below.',
      done: (amount: string) =>
        `If the portal shows a refund or reversal of ${amount}, record it as returned, with the provider’s number.`,
      ask: 'If it shows none, ask the provider whether it may still come. Only if it certainly will not, record it as not returned.',
      wait: 'Do not return the money by hand before that: the customer could get it twice.',
    },
    sandbox:
      'This is the sandbox: no money has moved, so return none. The simulator completes the refund by itself, or record an outcome.',
    requestLead:
      'In the merchant’s name, such as in a support case. The merchant’s limits hold. The provider is asked at once where it can be, and the merchant is notified of the outcome.',
    secondOperator:
      'Two operators must agree about this amount: one records, another one confirms.',
    notVerified:
      'Two operators must agree about this amount, so your name must be proved. Sign in with a secret that only you have, or through Cloudflare Access.',
    proposedBy: 'Recorded by',
    proposal: 'Decision',
    otherMustConfirm: 'Another operator must confirm this.',
    youMayConfirm:
      'Check it in the provider’s records, then confirm it, or record what you found instead.',
    returned: 'Returned',
    notReturned: 'Not returned',
    recordReturned: 'Record as returned',
    recordNotReturned: 'Record as not returned',
    sendAgain: 'Send again',
    sendAgainLead:
      'The gateway sends this refund to the provider once more, with the same number, by which the provider recognizes it. If the first call was executed, no further money is returned. The outcome stays unknown until the provider confirms it.',
    sendAgainWhy:
      'If the gateway stopped before it could send the refund, you can send it again with the same number.',
    returnedLead:
      'Only when the provider’s own records show that the customer got this amount. The refund succeeds, and the merchant is notified.',
    notReturnedLead:
      'Only when the provider’s own records show that the customer did not get the money and will not. The refund fails, the merchant is notified and can refund again.',
    confirm: 'Confirm',
    confirmLead:
      'Look it up in the provider’s records yourself. Confirm only if they show the same. The refund then ends, and the merchant is notified.',
  },

  /** Each open problem: what it is, and what to do about it. */
  attention: {
    dead_result: {
      title: 'Report not stored',
      what: 'A provider reported on this payment, but the payment could not be updated.',
      todo: 'Retry the dead letter. It may be the only copy: do not discard it unless the payment already shows what it reports.',
    },
    dead_message: {
      title: 'Dead letter',
      what: 'A queue gave up on a message. Its work continues without it.',
      todo: 'Find out what was failing at that time, then retry the message or discard it.',
    },
    unresolved_attempt: {
      title: 'Outcome unknown',
      what: 'An attempt passed its time limit, and it is unknown whether the customer paid.',
      todo: 'Look it up with the provider by its reference, then record its outcome.',
    },
    anomaly: {
      title: 'Anomaly',
      what: 'The customer paid twice, a receipt counts for two payments, the provider contradicted a payment or a refund that had been recorded, a callback was rejected, or a backup brought the payment back as it was then.',
      todo: 'Open the payment, compare it with the provider, refund what was paid twice, then mark it as reviewed.',
    },
    attempt_proposed: {
      title: 'Second operator needed',
      what: 'An operator recorded that an attempt was paid. For this amount another operator must confirm it.',
      todo: 'Look it up with the provider yourself, then confirm it or record what you found.',
    },
    late_payment: {
      title: 'Paid late',
      what: 'The customer paid after the merchant was notified that the payment had ended.',
      todo: 'Make sure that the merchant ships or refunds, then mark it as reviewed.',
    },
    refund_requires_action: {
      title: 'Refund by hand',
      what: 'A refund waits for a person, because the provider’s API cannot return the money.',
      todo: 'Open the payment, return the money at the provider, then record it.',
    },
    refund_unresolved: {
      title: 'Refund unknown',
      what: 'The provider was asked to return money, and it is unknown whether it did.',
      todo: 'Look it up with the provider. Return nothing by hand before you know. Then record the outcome.',
    },
    refund_overdue: {
      title: 'Refund overdue',
      what: 'A refund has waited for the gateway or the provider for more than an hour.',
      todo: 'Open the payment: that wakes it. If it stays on the list, look for alarm_failed in the log.',
    },
    delivery_dead: {
      title: 'Webhook failed',
      what: 'The merchant’s server did not accept this event, and it will not be retried automatically.',
      todo: 'Tell the merchant, who can resend it from the dashboard.',
    },
    delivery_paused: {
      title: 'Endpoint paused',
      what: 'The merchant’s endpoint has failed for days and is paused.',
      todo: 'Ask the merchant to fix it and resume it in the dashboard.',
    },
    delivery_undeliverable: {
      title: 'No webhook endpoint',
      what: 'The event has no destination: no callbackUrl takes it, and no endpoint was enabled.',
      todo: 'Ask the merchant to add or enable an endpoint in the dashboard, then resend the event.',
    },
  },
};
