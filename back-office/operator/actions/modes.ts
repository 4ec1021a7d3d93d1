import { SWITCH_TEXT_CHARACTERS_MAX } from '../../../src/control/operator/fields.ts';
import type { Modes } from '../../../src/control/rpc/operator.ts';
import {
  type ActionForm,
  by,
  changed,
  type OperatorAction,
  type Outcome,
  optional,
  required,
} from './action.ts';
import { REASON_INPUT } from './merchant.ts';

type Change = { readonly isChanged: boolean; readonly content: Modes };

function done(name: string) {
  return (change: Change): Outcome => ({ ...changed(change), done: name });
}

function form(
  path: `/${string}`,
  title: 'beginMaintenance' | 'endMaintenance' | 'pauseChanges' | 'resumeChanges',
): ActionForm {
  return {
    subject: 'gateway',
    path,
    title: `pages.${title}`,
    lead: `pages.${title}Lead`,
    fields: title === 'beginMaintenance' ? ['reason'] : [],
  };
}

const SWITCH = '/methods/:environment/:method' as const;

/** One switch for each method, for all merchants: for the outage of a provider. */
const SWITCHES: readonly OperatorAction[] = [
  {
    path: `${SWITCH}/switch-off`,
    answers: 'switched_off',
    run: by(
      ({ switchMethodOff }) => switchMethodOff,
      (change) => ({ ...changed(change), done: 'method_off' }),
    ),
    fields: {
      text: optional('TEXT', 'what customers read besides "not available now", as you write it', {
        input: {
          label: 'pages.switchText',
          hint: 'pages.switchTextHint',
          lengthMax: SWITCH_TEXT_CHARACTERS_MAX,
          isOptional: true,
          read: (typed) => (typed === '' ? null : typed),
        },
      }),
    },
    commands: [
      {
        name: 'method switch-off',
        about: 'offer a method to no customer within 10 s; attempts under way continue',
        positionals: ['method'],
        examples: [
          'method switch-off TELE_BIRR --environment production --text "Back at about 15:00"',
        ],
      },
    ],
    forms: [
      {
        subject: 'method',
        path: '/switch-off',
        title: 'pages.switchOff',
        lead: 'pages.switchOffLead',
        fields: ['text'],
      },
    ],
  },
  {
    path: `${SWITCH}/switch-on`,
    answers: 'switched_off',
    run: by(
      ({ switchMethodOn }) => switchMethodOn,
      (change) => ({ ...changed(change), done: 'method_on' }),
    ),
    fields: {},
    commands: [
      {
        name: 'method switch-on',
        about: 'offer the method again, within 10 s',
        positionals: ['method'],
        examples: ['method switch-on TELE_BIRR --environment production'],
      },
    ],
    forms: [
      {
        subject: 'method',
        path: '/switch-on',
        title: 'pages.switchOn',
        lead: 'pages.switchOnLead',
        fields: [],
      },
    ],
  },
];

/** What operators do before and after they change the gateway itself. */
export const MODE_ACTIONS: readonly OperatorAction[] = [
  ...SWITCHES,
  {
    path: '/maintenance/begin',
    answers: 'modes',
    run: by(({ beginMaintenance }) => beginMaintenance, done('maintenance_began')),
    fields: {
      reason: required('TEXT', 'reason, for the other operators', {
        input: { ...REASON_INPUT, hint: 'pages.maintenanceReasonHint' },
      }),
    },
    commands: [
      {
        name: 'maintenance on',
        about: 'refuse new payments and refunds within 10 s; what has begun continues',
        examples: ['maintenance on --reason "Restoring the database"'],
      },
    ],
    forms: [form('/begin-maintenance', 'beginMaintenance')],
  },
  {
    path: '/maintenance/end',
    answers: 'modes',
    run: by(({ endMaintenance }) => endMaintenance, done('maintenance_ended')),
    fields: {},
    commands: [
      {
        name: 'maintenance off',
        about: 'take new payments and refunds again, within 10 s',
        examples: ['maintenance off'],
      },
    ],
    forms: [form('/end-maintenance', 'endMaintenance')],
  },
  {
    path: '/members/pause-changes',
    answers: 'modes',
    run: by(({ pauseMemberChanges }) => pauseMemberChanges, done('changes_paused')),
    fields: {},
    commands: [
      {
        name: 'members read-only on',
        about: 'refuse every change by members; they can still sign in and read',
        examples: ['members read-only on'],
      },
    ],
    forms: [form('/pause-changes', 'pauseChanges')],
  },
  {
    path: '/members/resume-changes',
    answers: 'modes',
    run: by(({ resumeMemberChanges }) => resumeMemberChanges, done('changes_resumed')),
    fields: {},
    commands: [
      {
        name: 'members read-only off',
        about: 'let members change things again',
        examples: ['members read-only off'],
      },
    ],
    forms: [form('/resume-changes', 'resumeChanges')],
  },
];
