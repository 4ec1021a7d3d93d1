import type { AlertWords } from './words.ts';

const many = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;
const of = (details: string) => (details === '' ? '' : `: ${details}`);

export const en: AlertWords = {
  kinds: {
    new: (title) => title,
    repeat: (title) => `Now ${title}`,
    resolved: (title) => `Over: ${title}`,
  },
  resolved: 'Nothing of this needs a person any more.',
  since: (time) => `Since ${time}`,
  merchants: (ids, others) =>
    `Merchants: ${ids}${others === 0 ? '' : ` and ${many(others, 'other', 'others')}`}`,
  money: 'Money',
  todo: 'Do',
  guide: 'Guide',
  desk: 'Desk',
  allIsWell: 'All is well',
  digest: (subjects) => many(subjects, 'thing needs a person', 'things need a person'),
  test: 'A test message',
  testText:
    'This channel works. An operator pressed the button. The message says nothing about payments.',
  subjects: {
    unresolved_attempts: {
      title: (count) => many(count, 'payment without an outcome', 'payments without an outcome'),
      name: 'payments without an outcome',
      money: 'customers may have paid. Do not charge them again before it is known.',
      todo: 'look each attempt up at its provider, then record the outcome.',
    },
    refunds_by_hand: {
      title: (count) => many(count, 'refund needs a person', 'refunds need a person'),
      name: 'refunds that need a person',
      money: 'customers wait for it. Look first, so that nothing is returned twice.',
      todo: 'return the money at the provider, or confirm what a colleague recorded.',
    },
    money_conflicts: {
      title: (count) =>
        many(count, 'payment whose records conflict', 'payments whose records conflict'),
      name: 'payments whose records conflict',
      money:
        'a customer may have paid twice, or got too much back; or one receipt paid two orders.',
      todo: 'compare each with the provider, before goods or money go out.',
    },
    provider_money_missing: {
      title: (count, details) =>
        `${many(count, 'payment is', 'payments are')} missing in the provider’s files${of(details)}`,
      name: 'payments missing in the providers’ files',
      money: 'Kefel says that they are paid. The provider may not have taken the money.',
      todo: 'look at the lines of the file, and ask the provider before you pay it out.',
    },
    method_failing: {
      title: (count, details) =>
        `payments fail${of(details)} (${many(count, 'attempt', 'attempts')} without a success)`,
      name: 'failing payments',
      money: 'none is lost, but customers cannot pay this way.',
      todo: 'probe the rail. If its provider stays down, switch the method off.',
    },
    starts_waiting: {
      title: (count, details) =>
        `${many(count, 'start waits', 'starts wait')} for the gateway${of(details)}`,
      name: 'starts that wait',
      money: 'none has moved. Phones do not ring.',
      todo: 'run the self-check and look at Cloudflare’s status.',
    },
    messages_waiting: {
      title: (_count, details) => `messages wait in a queue${of(details)}`,
      name: 'messages that wait',
      money: 'none is lost. Merchants hear late, and a paid payment may look open.',
      todo: 'look at the queues in the desk’s health page, and at Cloudflare’s status.',
    },
    dead_letters: {
      title: (count) => `${many(count, 'message', 'messages')} given up by a queue`,
      name: 'messages that a queue gave up',
      money: 'a result may be the only copy of a provider’s report: a paid payment may look open.',
      todo: 'read and retry them. Never discard a result unread.',
    },
    database_failing: {
      title: (_count, details) =>
        details.includes('nearly_full')
          ? 'the database is nearly full'
          : 'the database does not answer',
      name: 'the failing database',
      money:
        'payments go on. While it does not answer, or once it is full, refunds, sign-ins and new settings are refused.',
      todo: 'wait for D1 and look at Cloudflare’s status. If it is nearly full, make room now.',
    },
    daily_run_late: {
      title: (_count, details) => `a daily run is late${of(details)}`,
      name: 'the late daily run',
      money: 'none now. If the gateway is lost, only providers know what no backup has.',
      todo: 'run the self-check, which says what stops it.',
    },
    keys_ending: {
      title: (count, details) => `${many(count, 'key ends', 'keys end')} soon${of(details)}`,
      name: 'keys near their end',
      money: 'none now. Afterwards a provider refuses the gateway’s calls.',
      todo: 'ask for the next key or rotate it, and set it before the day.',
    },
    self_check_failed: {
      title: (count, details) =>
        `the self-check found ${many(count, 'wrong part', 'wrong parts')}${of(details)}`,
      name: 'the failed self-check',
      money: 'it depends on the part.',
      todo: 'run the self-check again: it says what to do about each part.',
    },
    sign_ins_refused: {
      title: (count) => `${many(count, 'sign-in', 'sign-ins')} refused, far more than usual`,
      name: 'refused sign-ins',
      money: 'none has moved. A program may be guessing.',
      todo: 'look in the audit log for sign-ins that you do not know.',
    },
  },
};
