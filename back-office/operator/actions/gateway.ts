import type { LetterOutcomes } from '../../../src/interface/operations.ts';
import { PATHS } from '../desk/paths.ts';
import type { ActionForm, OperatorAction, Outcome } from './action.ts';
import { changed, REASON } from './merchants.ts';

const WITHDRAWAL = {
  name: 'withdrawal',
  value: 'yes|no',
  about: 'whether splits can be paid out to this bank',
} as const;

const ADD_BANK: OperatorAction = {
  path: '/banks',
  answers: 'bank',
  run: async ({ payments, actor }, target, fields) => ({
    message: 'Bank added',
    content: await payments.operations.addBank(actor, target, fields),
  }),
  fields: {
    code: {},
    name: { option: { value: 'TEXT', about: 'name of the bank', isRequired: true } },
    supportsWithdrawal: { kind: 'yes_or_no', option: { ...WITHDRAWAL, isRequired: true } },
  },
  commands: [
    {
      name: 'bank add',
      about: 'add a bank; its code can never change',
      positionals: ['code'],
      examples: ['bank add NEWBANK --name "New Bank" --withdrawal yes'],
    },
  ],
};

const CHANGE_BANK: OperatorAction = {
  path: '/banks/:code',
  answers: 'bank',
  run: async ({ payments, actor }, target, fields) => {
    const { isChanged, content } = await payments.operations.changeBank(actor, target, fields);
    return changed(isChanged, content);
  },
  fields: {
    name: { option: { value: 'TEXT', about: 'new name' } },
    supportsWithdrawal: { kind: 'yes_or_no', option: WITHDRAWAL },
  },
  commands: [
    {
      name: 'bank set',
      about: 'change the name of a bank, or whether splits can be paid out to it',
      examples: ['bank set NEWBANK --withdrawal no'],
      needsOne: true,
    },
  ],
};

/** The letter's page says what became of it. A letter discarded twice stays discarded. */
function handled({ outcomes }: LetterOutcomes, message: string): Outcome {
  return { message, content: { outcomes }, done: `letter_${Object.values(outcomes)[0]}` };
}

const ON_LETTER = {
  subject: 'letter',
  preset: ({ id }) => ({ ids: [id] }),
} satisfies Partial<ActionForm>;

/** Sends messages to their queues again. */
const RETRY_LETTERS: OperatorAction = {
  path: '/dead-letters/retry',
  answers: 'letters',
  run: async ({ payments, actor }, target, fields) =>
    handled(
      await payments.operations.retryDeadLetters(actor, target, fields),
      'Dead letters retried',
    ),
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
      path: `${PATHS.deadLetters}/:id/retry`,
      title: ({ desk }) => desk.pages.retryLetter,
      lead: ({ desk }) => desk.pages.retryLead,
      fields: [],
    },
  ],
};

/** Deletes messages. */
const DISCARD_LETTERS: OperatorAction = {
  path: '/dead-letters/discard',
  answers: 'letters',
  run: async ({ payments, actor }, target, fields) =>
    handled(
      await payments.operations.discardDeadLetters(actor, target, fields),
      'Dead letters discarded',
    ),
  fields: {
    ids: {},
    reason: {
      ...REASON,
      option: { value: 'TEXT', about: 'reason, for the audit log', isRequired: true },
    },
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
      path: `${PATHS.deadLetters}/:id/discard`,
      title: ({ desk }) => desk.pages.discardLetter,
      lead: ({ desk }) => desk.pages.discardLead,
      fields: ['reason'],
    },
  ],
};

const PROBE_RAIL: OperatorAction = {
  path: '/rails/:environment/:method/probe',
  answers: 'probe',
  run: async ({ payments, actor, url }, target) => ({
    message: 'Probed',
    content: await payments.operations.probe(actor, target, url.origin),
  }),
  fields: null,
  commands: [
    {
      name: 'rail probe',
      about: 'try a rail’s credentials at the provider; moves no money and prompts no phone',
      examples: ['rail probe production M_PESA'],
    },
  ],
};

const REPUBLISH: OperatorAction = {
  path: '/read-model/republish',
  answers: 'republished',
  run: async ({ payments, actor }, target, fields) => ({
    message: 'Sent to the read model again',
    content: await payments.operations.republish(actor, target, fields),
  }),
  fields: {
    afterUuid: { option: { name: 'after', value: 'UUID', about: 'start after this payment' } },
    objectIds: {
      option: {
        name: 'object',
        value: 'ID',
        about: 'only this object; can be repeated',
        isRepeatable: true,
      },
    },
  },
  commands: [
    {
      name: 'read-model republish',
      about: 'make payments send their data to the read model again',
      examples: ['read-model republish --all', 'read-model republish --object 0123…'],
      pages: 'nextUuid',
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
  REPUBLISH,
];
