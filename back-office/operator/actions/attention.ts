import { NOTE_CHARACTERS_MAX } from '../../../src/control/operator/fields.ts';
import type { ItemOutcomes } from '../../../src/control/rpc/operator.ts';
import { type ActionForm, by, type OperatorAction, type Outcome, required } from './action.ts';
import { DECISION_ID, FAILURE_REASON, noteOf } from './payments.ts';

/** One decision about several items of the attention list. */

function allAs(done: string, message: string) {
  return (content: ItemOutcomes): Outcome => ({ message, done, content });
}

const ON_ITEMS = { subject: 'items', isAboutChosen: true } satisfies Partial<ActionForm>;

const REVIEW_ITEMS: OperatorAction = {
  path: '/attention/review',
  answers: 'items',
  run: by(({ reviewItems }) => reviewItems, allAs('items_reviewed', 'Reviewed')),
  fields: { ids: {}, note: noteOf(NOTE_CHARACTERS_MAX) },
  commands: [
    {
      name: 'attention review',
      about: 'mark several payments as reviewed, by the ids that `attention` prints',
      positionals: ['ids'],
      examples: ['attention review 0192….17 0193….18 --note "Refunded by telebirr"'],
    },
  ],
  forms: [
    {
      ...ON_ITEMS,
      path: '/review',
      title: 'pages.reviewItems',
      lead: 'pages.reviewItemsLead',
      fields: ['note'],
    },
  ],
};

const RECORD_UNPAID_ITEMS: OperatorAction = {
  path: '/attention/record-unpaid',
  answers: 'items',
  run: by(({ recordUnpaidItems }) => recordUnpaidItems, allAs('items_unpaid', 'Recorded')),
  fields: {
    ids: {},
    reason: required(...FAILURE_REASON),
    note: noteOf(NOTE_CHARACTERS_MAX),
    resolutionId: DECISION_ID,
  },
  commands: [
    {
      name: 'attention record-unpaid',
      about: 'record that the unresolved attempts of several payments were definitely not paid',
      positionals: ['ids'],
      examples: [
        'attention record-unpaid 0192….17 0193….18 --reason timed_out --note "Not in the portal"',
      ],
    },
  ],
  forms: [
    {
      ...ON_ITEMS,
      path: '/unpaid',
      title: 'pages.recordUnpaid',
      lead: 'pages.unpaidItemsLead',
      fields: ['reason', 'note'],
    },
  ],
};

const RESEND_ITEMS: OperatorAction = {
  path: '/attention/resend',
  answers: 'items',
  run: by(({ resendItems }) => resendItems, allAs('items_sent', 'Sending again')),
  fields: { ids: {} },
  commands: [
    {
      name: 'attention resend',
      about: 'send several events again that are no longer sent automatically',
      positionals: ['ids'],
      examples: ['attention resend 0192….17.evt_1.0 0193….18.evt_2.0'],
    },
  ],
  forms: [
    {
      ...ON_ITEMS,
      path: '/resend',
      title: 'pages.resendItems',
      lead: 'pages.resendItemsLead',
      fields: [],
    },
  ],
};

/** What operators decide about several items at once. */
export const ATTENTION_ACTIONS = [REVIEW_ITEMS, RECORD_UNPAID_ITEMS, RESEND_ITEMS];
