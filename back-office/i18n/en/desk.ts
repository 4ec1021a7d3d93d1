import type { Anomaly } from '../../../src/engine/domain/intent.ts';

/** What the operator's staff read on the desk. */
export const desk = {
  /** The desk's own texts. Those of its list of open problems are below. */
  sheet: {
    lead: 'What you pay out: to each merchant what its own statement says, and how much of that goes to the beneficiaries of split payments. Each view is in the audit log.',
    environment: 'Environment',
    period: 'Day or month',
    periodHint: 'Such as 2026-11-28 or 2026-11, in Addis Ababa',
    show: 'Show',
    asked: (count: string) => `Merchants asked: ${count}`,
    incomplete: (count: string) =>
      `Incomplete. The figures of some merchants are missing (${count}). Show the sheet again:`,
    toPayOut: 'To pay out',
    customersCommission: (amount: string) =>
      `Customers paid ${amount} of commission on top. It is yours and not part of these figures.`,
    merchants: (currency: string) => `Merchants, ${currency}`,
    toBeneficiaries: 'Of it to beneficiaries',
    toMerchant: 'To the merchant',
    beneficiaries: (currency: string) => `Beneficiaries of splits, ${currency}`,
    moreInFile: 'There are more beneficiaries. The CSV file has all.',
    bank: 'Bank',
    account: 'Account',
    unreadable: 'Unreadable: its data key was removed',
  },

  pages: {
    product: 'Kefel operator desk',
    navigation: 'Desk',
    nav: {
      attention: 'Needs attention',
      payments: 'Payments',
      merchants: 'Merchants',
      sheet: 'Day sheet',
      deadLetters: 'Dead letters',
      rails: 'Rails',
      audit: 'Audit log',
      health: 'Health',
      alerts: 'Alerts',
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
    maintenanceReasonHint: 'Every operator sees it at the top of the desk.',
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
    sizeOf: (gigabytes: string, gigabytesMax: number) => `${gigabytes} GB of ${gigabytesMax} GB`,
    nearlyFull: 'Nearly full',
    lastBackup: 'Last backup',
    lastMembersBackup: 'Last backup of members',
    failingBooks: (books: number) => `Books not copied: ${books}`,
    lostBooks: 'Lost books',
    milliseconds: 'ms',
    needed: 'View everything that needs attention',
    gateway: 'Gateway',
    messages: (messages: number) => (messages === 1 ? 'message' : 'messages'),
    queue: 'Queue',
    oldest: 'Oldest',
    deadLetters: 'Dead letters',
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
    ends: 'Payment methods',
    left: 'Left',
    rate: 'Paid rate',
    rateOfWeek: 'Rate in 7 days',
    timeToPay: 'Time to pay',
    seconds: (count: string) => `${count} s`,
    rateHint:
      'Since yesterday, unless a figure says otherwise. The bar is the paid rate, and its mark the rate in 7 days. The rate leaves out customers who left, canceled or let the payment expire. The time to pay is the median from creation to payment, of each merchant’s last 20.',
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
    failedFor: (reason: string, recent: string, week: string) =>
      `${reason}: ${recent}, in 7 days ${week}`,
    noMethod: 'No method chosen',
    attentionEmpty: 'Nothing needs attention.',
    items: (items: number, max: number) => `${items < max ? items : `${max}+`} items`,
    chooseItem: (name: string) => `Choose ${name}`,
    chooseAll: 'Choose all on this page',
    chooseNone: 'Choose none',
    chosen: 'Chosen',
    groupEmpty: 'Nothing of this kind needs attention any more.',
    customerLeft: (time: string) =>
      `The customer left. Kefel asks again at ${time}; nothing to do until then.`,
    customerLeftUntil: (time: string) =>
      `The customer left, but could pay until ${time}; nothing to do until then.`,
    asksAgain: (time: string) => `Kefel asks the provider again by itself at ${time}.`,
    reviewItems: 'Mark as reviewed',
    reviewItemsLead:
      'The chosen payments leave the list until there is something new. Payments that a backup brought back expire now, or can be paid again. Nothing else changes. Each payment gets your note.',
    unpaidItemsLead:
      'Only when the provider’s own records show for each of these payments that no money moved. Their attempts fail, and the customers may pay again. Each payment gets your note.',
    resendItems: 'Send again',
    resendItemsLead:
      'Each chosen event is sent again from the start of its schedule. First make sure that the merchant has an endpoint that works: the others come back to this list.',
    retryLettersLead: 'Sends the chosen messages to their queues again. This is always safe.',
    discardLettersLead:
      'Deletes the chosen messages for good. What a provider reported may exist nowhere else: first make sure that each payment shows it.',
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
    secretReasonHint: 'For the audit log. Only operators can read it.',
    holdPayment: 'Hold the payment',
    holdLead:
      'Retention and customers’ requests do not delete a held payment. Only operators see the hold.',
    releasePayment: 'Release the payment',
    releaseLead: 'If its retention has ended, the payment is then deleted at once.',
    markReviewed: 'Mark as reviewed',
    nothingToRecord: 'Nothing to record?',
    reviewLead:
      'The payment leaves the list until there is something new. One that a backup brought back expires now, or can be paid again. Nothing else changes. Describe what you found and did.',
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
    claim: {
      title: 'The customer says that they paid, by number',
      lead: 'This is no proof: anyone can type the number of another receipt. Compare its amount, time and payee with the provider’s records.',
      none: 'No other payment has this number.',
      receiptOf: 'It is the receipt of',
      claimedFor: 'Also claimed for',
      unknown: 'The lists do not answer now, so another payment may have this number.',
      page: 'Open the provider’s page',
      record: 'Record as paid by this number',
    },
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
    openLinks: 'Open links',
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
    actions: 'Actions',
    offer: 'Offer',
    offerLead:
      'Within 10 seconds the merchant’s new payments can use the method, if its secret is valid and the merchant has not disabled it.',
    withdraw: 'Withdraw',
    withdrawLead:
      'Within 10 seconds the merchant’s new payments cannot use the method. Existing payments keep it.',
    setCommission: 'Set the commission',
    setCommissionLead:
      'Holds for the merchant’s new payments within 10 seconds. Existing payments keep their terms.',
    percentage: 'Percentage',
    percentageHint: 'Of the amount, with at most two decimals, such as 2.5.',
    fixedSum: 'Fixed sum',
    fixedSumHint: 'On top, in the currency of the payment. Empty: none.',
    yes: 'Yes',
    no: 'No',
    addMerchant: 'Add merchant',
    addMerchantLead:
      'Creates a merchant who can use every method in the sandbox, and in production those whose rail has a secret. Then invite the first owner, who creates API keys in the dashboard.',
    merchantNameHint: 'Customers see it on the checkout page.',
    merchantIdHint:
      'Part of every key of the merchant, such as abebe-coffee. It can never be changed.',
    commissionHint:
      'In percent, for all methods. The merchant’s page then sets it for each method.',
    invite: 'Invite a member',
    inviteLead:
      'Creates a link that works once, for 7 days. Make sure that you know the person: the link opens the merchant’s dashboard.',
    suspend: 'Suspend the merchant',
    suspendLead:
      'Within 10 seconds its API keys stop working, and its members can change nothing. Payments in progress continue, and webhooks are delivered.',
    reactivate: 'End the suspension',
    reactivateLead: 'Within 10 seconds the merchant’s API keys work again.',
    closeMerchant: 'Close the merchant',
    closeMerchantLead:
      'This cannot be undone: its API keys, members and webhook endpoints end. First export all production payments. Open payments can still be paid and end as they would, and a payment’s own callbackUrl still gets its events. Payments stay for their time: you can look them up and refund them.',
    recoverMember: 'Create recovery link',
    recoverMemberLead:
      'Creates a link that works once, for 24 hours. It creates a new passkey, ends the member’s sessions, and their old passkeys stop working. Make sure that you are talking to the right person: the link opens their account.',
    revokeLink: 'Revoke the link',
    revokeLinkLead:
      'The link stops working at once. Do this if it was sent to the wrong person. A person who has already used it is a member: remove them.',
    removeMember: 'Remove',
    removeMemberLead:
      'Ends the member’s passkeys and sessions at once. You can also remove the last owner, and then invite another one.',
    apiKey: 'API key',
    revokeKey: 'Revoke',
    revokeKeyLead:
      'Within 10 seconds the key stops working. If the merchant still uses it, its payments fail until it has another key.',
    exportPayments: 'Export payments (CSV)',
    month: 'Month',
    auditMonthHint:
      'Such as 2026-11, by the days of Addis Ababa. All merchants, and the gateway itself.',
    exportAudit: 'Export the log (CSV)',
    link: 'Link',
    linkOnce: 'Copy the link and give it only to this person. It is shown here for 10 minutes.',

    deadLetter: 'Dead letter',
    lettersLead:
      'Messages that failed all their retries. A letter waits 30 days; a provider’s report waits as long as a payment is kept.',
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
    gaveUp: 'Failed',
    timesGivenUp: 'Failed messages',
    letterExpired:
      'The letter waited too long, so Kefel deleted its message. The payment sends its own messages again until they arrive. If the letter was a provider’s report, look the payment up with the provider.',
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
    customers: 'Customers',
    isOff: 'Switched off',
    isDown: 'Not working',
    onlyFor: 'only for',
    switchOff: 'Switch off',
    switchOffLead:
      'For all merchants, within 10 seconds: customers’ pages show the method as not available now, express charges by it are refused, and so is a payment that could use no other method. Attempts under way continue.',
    switchOn: 'Switch on',
    switchOnLead: 'Within 10 seconds, customers can use the method again.',
    switchText: 'Text for customers',
    switchTextHint:
      'Shown as you write it, in all languages, after “Not available now”. For example: Back at about 15:00.',
    banks: 'Banks',
    banksLead:
      'A payment’s split names a bank of this list. A bank cannot be deleted, because payments have stored its code.',
    showBanks: (banks: number) => `Show all ${banks}`,
    bankCode: 'Code',
    bankCodeHint:
      'Capital letters, digits and underscores, such as NEWBANK. It can never be changed.',
    bankNameHint: 'Merchants see it in the list of banks.',
    bankPayouts: 'Splits can be paid out to it',
    change: 'Change',
    addBank: 'Add bank',
    addBankLead: 'Within a minute, merchants can name the bank in splits of new payments.',
    changeBank: 'Change the bank',
    changeBankLead:
      'Within a minute, for new payments of all merchants: a split to a bank that cannot be paid out to is refused. Existing payments keep their splits.',
    secret: 'Secret',
    lastPaid: 'Last paid',
    lastFailed: 'Last failed',
    railStates: {
      configured: 'Configured',
      not_configured: 'No secret',
      misconfigured: 'Invalid secret',
      simulated: 'Simulated',
    },
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
      signed_out: 'You are signed out.',
      resolved: 'The outcome was recorded.',
      reviewed: 'Marked as reviewed.',
      items_reviewed: 'All were marked as reviewed.',
      items_unpaid: 'All were recorded as not paid.',
      items_sent: 'All are being sent again.',
      letters_sent: 'All messages were sent to their queues again.',
      letters_discarded: 'All messages were deleted.',
      decided: 'The outcome of the refund was recorded.',
      sent_again: 'The refund is being sent again.',
      proposed: 'The decision was stored. Another operator must confirm it.',
      suspended: 'The merchant is suspended.',
      active: 'The merchant is active.',
      merchant_closed: 'The merchant is closed.',
      member_removed: 'The member was removed.',
      method_off: 'The method is switched off. It holds everywhere within 10 seconds.',
      method_on: 'The method is switched on. Customers can use it within 10 seconds.',
      method_changed: 'The change holds for new payments within 10 seconds.',
      bank_added: 'The bank was added. Merchants can name it within a minute.',
      bank_changed: 'The change holds for new payments within a minute.',
      key_revoked: 'The key is revoked. It is rejected within 10 seconds.',
      refund_requested: 'The refund was requested.',
      refunds_limited: 'The limits for refunds hold from now on.',
      invited: 'The invitation was created.',
      link_created: 'The recovery link was created.',
      link_revoked: 'The link was revoked.',
      merchant_created: 'The merchant was created. Invite the first owner now.',
      maintenance_began: 'Maintenance has begun. It holds everywhere within 10 seconds.',
      maintenance_ended: 'Maintenance has ended. New payments are taken within 10 seconds.',
      changes_paused: 'Members can change nothing from now on.',
      changes_resumed: 'Members can change things again.',
      letter_sent: 'The message was sent to its queue again.',
      letter_discarded: 'The message was deleted.',
      held: 'The payment is held.',
      released: 'The payment is not held any more.',
      alert_sent: 'The test message was sent. Has it arrived?',
    },
    notDone: {
      none_chosen: 'Choose at least one. Nothing was changed.',
      some_left: 'Some were left as they were:',
      attempt_not_pending: 'The attempt has an outcome already. Nothing was changed.',
      refund_not_resolvable:
        'The refund has an outcome already, or its provider may still answer. Nothing was changed.',
      letter_not_waiting: 'The message had already been discarded, or has expired.',
      letter_not_found: 'There is no such dead letter.',
      letter_unreadable: 'The message cannot be read, because its data key was removed.',
      letter_not_sent: 'The queue did not accept the message. Try again in a moment.',
      alert_not_sent: 'The test message was not sent. The channel’s row says why.',
    },
    /** Why one of several things was left as it was. */
    leftBecause: {
      not_listed: 'It is not on the list any more.',
      changed: 'There is something new about it. Look at it again.',
      not_applicable: 'This cannot be done with it.',
      failed: 'It is not known whether this was done. Look at it again.',
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
      bank_exists: 'Another bank has this code. Nothing was changed.',
      merchant_suspended: 'The merchant is suspended. End the suspension first.',
      merchant_closed: 'The merchant is closed. Nothing was changed.',
      merchant_not_suspended: 'Suspend the merchant first. Nothing was changed.',
      merchant_not_exported:
        'First export all production payments of the merchant, after its suspension. Nothing was changed.',
      other: 'The change was refused. Nothing was changed.',
    },
    fieldProblems: {
      receipt: 'Enter the receipt: 1 to 64 letters, digits and signs without spaces.',
      reference: 'Enter the provider’s number: 1 to 64 letters, digits and signs without spaces.',
      reason: 'Give a reason.',
      note: 'Describe what you found, in up to 500 characters.',
      name: 'Enter a name, in up to 100 characters.',
      id: 'Enter 1 to 64 letters, digits, hyphens and underscores.',
      code: 'Enter 1 to 32 capital letters, digits and underscores.',
      supportsWithdrawal: 'Choose yes or no.',
      commissions: 'Enter a percentage such as 2.5, or nothing.',
      basisPoints: 'Enter a percentage from 0 to 100, such as 2.5.',
      fixedMinor: 'Enter an amount such as 1.50, or nothing.',
      role: 'Choose a role.',
      amountMinor: 'Enter an amount such as 1500 or 99.50.',
      until: 'Enter a day from today on, such as 2027-12-31.',
      text: 'Enter up to 200 printable characters, or nothing.',
      refundAgeDaysMax: 'Enter 1 to 400 days.',
      refundDailyMaxMinor: 'Enter an amount such as 50000.00, or nothing for any amount.',
    },
    merchantsEmpty: 'No merchants yet.',
    name: 'Name',
    operatorSecret: 'Operator secret',
    secretInvalid: 'This is not a secret of this gateway, or it was replaced.',
    signIn: 'Sign in',
    signOut: 'Sign out',
    id: 'ID',
    people: 'Members',
    since: 'Created',
    status: { active: 'Active', suspended: 'Suspended', closed: 'Closed' },
    problems: {
      401: {
        title: 'Operator sign-in',
        text: 'Enter your operator secret, and your name if others share the secret. You are signed out after half an hour without a click.',
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
      find: 'Find the payment in the provider’s portal by one of these numbers.',
      check: 'Make sure that the portal shows no refund or reversal of it yet.',
      give: (amount: string) =>
        `Return ${amount} there, to the account that paid. If the portal cannot, ask the provider to do it.`,
      confirm:
        'Another operator has recorded this refund: return nothing yourself. Confirm it if the portal shows the same; otherwise record what you found.',
      record:
        'Record it here as returned, with the provider’s number of the refund. The merchant is then notified.',
      otherwise:
        'If the money cannot be returned, record it as not returned. The merchant is notified and can refund again.',
    },
    unresolvedSteps: {
      find: 'Find the payment in the provider’s portal by one of these numbers.',
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

  /** Who is told when something needs a person. */
  alerts: {
    lead: 'The gateway sends a message when something needs a person, and each morning a summary.',
    open: 'Open now',
    nothing: 'Nothing that the gateway watches needs a person.',
    noChannel: 'No channel is set up, so no message is sent.',
    what: 'What',
    since: 'Since',
    merchants: 'Merchants',
    todo: 'What to do',
    guide: 'Guide',
    channels: 'Channels',
    channel: 'Channel',
    names: { telegram: 'Telegram', webhook: 'Webhook', email: 'E-mail' },
    state: 'State',
    states: {
      ready: 'Set up',
      failing: 'Failing',
      wrong: 'Wrong settings',
      missing: 'Not set up',
    },
    setUp: 'How to set it up',
    lastSent: 'Last sent',
    waiting: 'Waiting',
    test: 'Send a test',
    watch: 'The watch',
    looked: 'Last look',
    beat: 'Last heartbeat',
    never: 'Never',
  },

  /** Each open problem: what it is, and what to do about it. */
  attention: {
    lost_book: {
      title: 'Lost book',
      what: 'The merchant’s lists, search and totals miss payments. The payments themselves are not affected.',
      todo: 'Rebuild the book: npm run operator -- rebuild namespace.',
    },
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
      what: 'Reports about this payment contradict each other, or a backup brought it back.',
      todo: 'Open the payment: it says what happened, and what to do.',
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
      todo: 'Open the payment first: another operator may have recorded it already. If not, return the money at the provider, then record it.',
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
      todo: 'Tell the merchant. When the server works again, send the event again here, or the merchant does in the dashboard.',
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

  /** What to do about each anomaly. */
  anomalyTodo: {
    duplicate_payment:
      'Look both payments up with the provider. Refund the second one unless the merchant has, then mark it as reviewed.',
    surplus_payment:
      'The link of the payment was sold out when the customer paid. The merchant delivers or refunds it. Then mark it as reviewed.',
    second_receipt:
      'Look both receipts up with the provider. If the customer paid twice, return the second payment there, because a refund here returns the first. Then mark it as reviewed.',
    contradicting_failure:
      'Ask the provider whether the money arrived. Here it still counts as paid: if nothing arrived, tell the merchant. Then mark it as reviewed.',
    contradicting_refund:
      'Ask the provider whether the customer got the money back. Return nothing by hand before you know. Then mark it as reviewed.',
    excess_refund:
      'The customer got too much back: agree with the merchant who bears it. Then mark it as reviewed, which allows further refunds.',
    refused_callback:
      'Nothing changed here. Look the payment up with the provider. If the report was genuine, correct the rail’s settings. Then mark it as reviewed.',
    receipt_conflict:
      'Find out with the provider which of the two payments was paid, and return refunds of both by hand. The payment’s page names the other one. Then mark both as reviewed.',
    restored:
      'Look the payment up with the provider, because the customer may have paid since the backup. Record what you find, then mark it as reviewed, which ends its hold.',
  } satisfies Record<Anomaly['kind'], string>,
};
