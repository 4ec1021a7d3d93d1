import { BANK_NAME_CHARACTERS_MAX } from '../../../src/control/operator/fields.ts';
import type { LetterOutcomes } from '../../../src/control/rpc/operator.ts';
import {
  type ActionField,
  type ActionForm,
  by,
  changed,
  type OperatorAction,
  type Outcome,
  optional,
  required,
} from './action.ts';
import { REASON_INPUT } from './merchant.ts';

const WITHDRAWAL = ['yes|no', 'whether splits can be paid out to this bank'] as const;
const YES_OR_NO: ActionField = {
  name: 'withdrawal',
  kind: 'yes_or_no',
  input: {
    label: 'pages.bankPayouts',
    options: ({ pages }) => [
      ['yes', pages.yes],
      ['no', pages.no],
    ],
    read: (typed) => (typed === 'yes' || typed === 'no' ? typed === 'yes' : typed),
  },
};
const BANK_NAME: ActionField = {
  input: { label: 'pages.name', hint: 'pages.bankNameHint', lengthMax: BANK_NAME_CHARACTERS_MAX },
};

const ADD_BANK: OperatorAction = {
  path: '/banks',
  answers: 'bank',
  run: by(
    ({ addBank }) => addBank,
    (content) => ({ message: 'Bank added', content, done: 'bank_added' }),
  ),
  fields: {
    code: { input: { label: 'pages.bankCode', hint: 'pages.bankCodeHint', lengthMax: 32 } },
    name: required('TEXT', 'name of the bank', BANK_NAME),
    supportsWithdrawal: required(...WITHDRAWAL, YES_OR_NO),
  },
  commands: [
    {
      name: 'bank add',
      about: 'add a bank; its code can never change',
      positionals: ['code'],
      examples: ['bank add NEWBANK --name "New Bank" --withdrawal yes'],
    },
  ],
  forms: [
    {
      subject: 'new_bank',
      path: '',
      title: 'pages.addBank',
      lead: 'pages.addBankLead',
      fields: ['code', 'name', 'supportsWithdrawal'],
    },
  ],
};

const CHANGE_BANK: OperatorAction = {
  path: '/banks/:code',
  answers: 'bank',
  run: by(
    ({ changeBank }) => changeBank,
    (change) => ({ ...changed(change), done: 'bank_changed' }),
  ),
  fields: {
    name: optional('TEXT', 'new name', BANK_NAME),
    supportsWithdrawal: optional(...WITHDRAWAL, YES_OR_NO),
  },
  commands: [
    {
      name: 'bank set',
      about: 'change the name of a bank, or whether splits can be paid out to it',
      examples: ['bank set NEWBANK --withdrawal no'],
      needsOne: true,
    },
  ],
  forms: [
    {
      subject: 'bank',
      path: '/change',
      title: 'pages.changeBank',
      lead: 'pages.changeBankLead',
      fields: ['name', 'supportsWithdrawal'],
    },
  ],
};

/** The letter's page says how it ended. A letter discarded twice stays discarded. */
function handledAs(message: string) {
  return ({ outcomes }: LetterOutcomes): Outcome => {
    const [first, ...others] = Object.values(outcomes);
    const done = `${others.length === 0 ? 'letter' : 'letters'}_${first}`;
    return { message, content: { outcomes }, done };
  };
}

const ON_LETTERS = { subject: 'letters', isAboutChosen: true } satisfies Partial<ActionForm>;

const ON_LETTER = {
  subject: 'letter',
  preset: ({ id }) => ({ ids: [id] }),
} satisfies Partial<ActionForm>;

/** Sends messages to their queues again. */
const RETRY_LETTERS: OperatorAction = {
  path: '/dead-letters/retry',
  answers: 'letter_outcomes',
  run: by(({ retryDeadLetters }) => retryDeadLetters, handledAs('Dead letters retried')),
  fields: { ids: {} },
  commands: [
    {
      name: 'dead-letter retry',
      about: 'send dead letters back to their queues; retrying twice is safe',
      positionals: ['ids'],
      examples: ['dead-letter retry 0123abcd 4567ef01'],
    },
  ],
  forms: [
    {
      ...ON_LETTER,
      path: '/retry',
      title: 'pages.retryLetter',
      lead: 'pages.retryLead',
      fields: [],
    },
    {
      ...ON_LETTERS,
      path: '/retry',
      title: 'pages.retryLetter',
      lead: 'pages.retryLettersLead',
      fields: [],
    },
  ],
};

/** Deletes messages. */
const DISCARD_LETTERS: OperatorAction = {
  path: '/dead-letters/discard',
  answers: 'letter_outcomes',
  run: by(({ discardDeadLetters }) => discardDeadLetters, handledAs('Dead letters discarded')),
  fields: {
    ids: {},
    reason: required('TEXT', 'reason, for the audit log', { input: REASON_INPUT }),
  },
  commands: [
    {
      name: 'dead-letter discard',
      about: 'discard dead letters for good',
      positionals: ['ids'],
      examples: ['dead-letter discard 0123abcd --reason "The payment shows it already"'],
    },
  ],
  forms: [
    {
      ...ON_LETTER,
      path: '/discard',
      title: 'pages.discardLetter',
      lead: 'pages.discardLead',
      fields: ['reason'],
    },
    {
      ...ON_LETTERS,
      path: '/discard',
      title: 'pages.discardLetter',
      lead: 'pages.discardLettersLead',
      fields: ['reason'],
    },
  ],
};

const PROBE_RAIL: OperatorAction = {
  path: '/rails/:environment/:method/probe',
  answers: 'probe',
  run: async ({ payments, actor, url }, target) => ({
    message: 'Probed',
    content: await payments.operator.probe(actor, target, url.origin),
  }),
  fields: null,
  commands: [
    {
      name: 'rail probe',
      about: 'try a rail’s credentials at the provider; moves no money and prompts no phone',
      positionals: ['method', 'environment'],
      examples: ['rail probe M_PESA production'],
    },
  ],
};

const TEST_ALERT: OperatorAction = {
  path: '/alerts/:channel/test',
  answers: 'tested_channel',
  run: async ({ payments, actor }, target) => ({
    message: 'Tested',
    content: await payments.alerts.test(actor, target),
  }),
  fields: null,
  commands: [
    {
      name: 'alert test',
      about: 'send a test message by one channel of the alerts: telegram, webhook or email',
      examples: ['alert test telegram'],
    },
  ],
};

const VOLUME = optional('NUMBER', 'volume of the book (default: 0)');

const REBUILD_BOOK: OperatorAction = {
  path: '/books/:environment/:merchantId/rebuild',
  answers: 'rebuilt',
  run: by(
    ({ rebuildBook }) => rebuildBook,
    (content) => ({ message: 'Rebuilt', content }),
  ),
  fields: { after: optional('PLACE', 'continue after this place'), volume: VOLUME },
  commands: [
    {
      name: 'rebuild book',
      about: 'make the payments that a merchant’s book has send their data again',
      examples: ['rebuild book production abebe --all'],
      pages: 'next',
    },
  ],
};

const REBUILD_OBJECTS: OperatorAction = {
  path: '/books/rebuild',
  answers: 'rebuilt',
  run: by(
    ({ rebuildObjects }) => rebuildObjects,
    (content) => ({ message: 'Rebuilt', content }),
  ),
  fields: {
    objectIds: {
      name: 'object',
      option: { value: 'ID', about: 'an object; can be repeated', isRepeatable: true },
    },
  },
  commands: [
    {
      name: 'rebuild objects',
      about: 'make payments send their data to their books again, by the ids of their objects',
      examples: ['rebuild objects --object 0123… --object 4567…'],
    },
  ],
};

const RESTORE_BOOK: OperatorAction = {
  path: '/books/:environment/:merchantId/restore',
  answers: 'restored',
  run: by(
    ({ restoreBook }) => restoreBook,
    (content) => ({ message: 'Restored', content }),
  ),
  fields: {
    at: required('TIME', 'time of the last 30 days, such as 2026-11-23T20:15Z'),
    volume: VOLUME,
  },
  commands: [
    {
      name: 'restore book',
      about: 'set a merchant’s book back to a time; then rebuild it from the objects',
      examples: ['restore book production abebe --at 2026-11-23T20:15Z'],
    },
  ],
};

/** What operators change about the gateway itself. */
export const GATEWAY_ACTIONS = [
  ADD_BANK,
  CHANGE_BANK,
  RETRY_LETTERS,
  DISCARD_LETTERS,
  PROBE_RAIL,
  TEST_ALERT,
  REBUILD_BOOK,
  REBUILD_OBJECTS,
  RESTORE_BOOK,
];
