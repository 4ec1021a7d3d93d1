import { REASON_CHARACTERS_MAX } from '../../../src/control/operator/fields.ts';
import { by, type OperatorAction, optional, required } from './action.ts';
import { namingFields, PROFILE_FIELDS, PROFILE_INPUTS, profileFrom } from './profile-form.ts';

/** The providers' files. The commands that read a file of the operator are scripts/operator/provider-file.ts. */

const OF_METHOD = ':environment/:method';

/** A piece has 512 KB, which base64 makes a third longer. */
const PIECE_BODY_BYTES_MAX = 1024 * 1024;

export const STORE_PROFILE: OperatorAction = {
  path: `/provider-profiles/${OF_METHOD}`,
  answers: 'provider_profiles',
  run: by(
    ({ storeProviderProfile }) => storeProviderProfile,
    (content) => ({ message: 'Stored', content }),
  ),
  // A profile is a document: the command reads it from a file, and the form makes it of its fields.
  fields: {
    ...{ name: {}, delimiter: {}, encoding: {}, headerRow: {}, footer: {}, dateFormat: {} },
    ...{ decimal: {}, currency: {}, columns: {}, types: {}, fee: {} },
  },
  commands: [],
  forms: (['provider_profile', 'new_provider_profile'] as const).map((subject) => ({
    ...{ subject, path: '', fields: PROFILE_FIELDS, inputs: PROFILE_INPUTS },
    title: 'pages.providerProfile.store',
    lead: 'pages.providerProfile.storeLead',
    run: async (call, target, fields) => {
      try {
        const stored = await STORE_PROFILE.run(call, target, profileFrom(fields));
        return { ...stored, done: 'profile_stored' };
      } catch (error) {
        throw namingFields(error);
      }
    },
  })),
};

const DELETE_PROFILE: OperatorAction = {
  path: `/provider-profiles/${OF_METHOD}/delete`,
  answers: 'provider_profiles',
  run: by(
    ({ deleteProviderProfile }) => deleteProviderProfile,
    (content) => ({ message: 'Deleted', done: 'profile_deleted', content }),
  ),
  fields: { name: required('NAME', 'name of the profile') },
  forms: [
    {
      ...{ subject: 'provider_profile', path: '/delete', fields: [] },
      title: 'pages.providerProfile.remove',
      lead: 'pages.providerProfile.removeLead',
      preset: ({ profile }) => ({ name: profile }),
    },
  ],
  commands: [
    {
      name: 'provider-profile delete',
      about: 'delete a profile; files that were read with it stay',
      examples: ['provider-profile delete production TELE_BIRR --name Portal'],
    },
  ],
};

export const PREVIEW_FILE: OperatorAction = {
  path: `/provider-files/${OF_METHOD}/preview`,
  answers: 'provider_preview',
  run: by(
    ({ previewProviderFile }) => previewProviderFile,
    (content) => ({ message: 'Preview', content }),
  ),
  fields: { profile: required('NAME', 'name of the profile'), draft: {}, base64: {}, fileId: {} },
  commands: [],
};

export const BEGIN_FILE: OperatorAction = {
  path: `/provider-files/${OF_METHOD}`,
  answers: 'provider_files',
  run: by(
    ({ beginProviderFile }) => beginProviderFile,
    (content) => ({ message: 'Begun', content }),
  ),
  fields: { fileId: {}, name: {}, profile: required('NAME', 'name of the profile') },
  commands: [],
};

const UPLOAD_PIECE: OperatorAction = {
  path: `/provider-files/${OF_METHOD}/:fileId/pieces`,
  answers: 'provider_files',
  bodyBytesMax: PIECE_BODY_BYTES_MAX,
  run: by(
    ({ uploadProviderPiece }) => uploadProviderPiece,
    (content) => ({ message: 'Uploaded', content }),
  ),
  fields: { number: {}, base64: {} },
  commands: [],
};

const FINISH_FILE: OperatorAction = {
  path: `/provider-files/${OF_METHOD}/:fileId/finish`,
  answers: 'provider_files',
  run: by(
    ({ finishProviderFile }) => finishProviderFile,
    (content) => ({ message: 'Reading', content }),
  ),
  fields: {},
  commands: [],
};

const DECIDE_LINE: OperatorAction = {
  path: `/provider-lines/${OF_METHOD}/decide`,
  answers: 'provider_lines',
  run: by(
    ({ decideProviderLine }) => decideProviderLine,
    (content) => ({ message: 'Decided', content, done: 'line_decided' }),
  ),
  fields: {
    key: required('KEY', 'key of the line, as `provider-file lines` shows it'),
    decision: {
      flags: {
        accept: { value: 'accept', about: 'the difference is all right' },
        'not-ours': { value: 'not_ours', about: 'the line is of no payment of this gateway' },
        assign: {
          value: 'assign',
          about: 'the line is of the payment that --merchant and --payment name',
          needs: 'merchantId',
        },
        undo: { value: 'undo', about: 'end the decision, and compare the line again' },
      },
    },
    reason: required('TEXT', 'why, for the audit log', {
      input: { label: 'pages.why', lengthMax: REASON_CHARACTERS_MAX },
    }),
    merchantId: optional('MERCHANT', 'id of the merchant', { name: 'merchant' }),
    uniqueId: optional('PAYMENT', 'paymentIntentUniqueId', { name: 'payment' }),
    seen: optional('STATE', '`state` of the line: decide only if it is still so'),
  },
  commands: [
    {
      name: 'provider-file decide',
      about: 'decide about a line of a provider’s file; no payment changes',
      examples: [
        'provider-file decide production TELE_BIRR --key 2026-11-28/payment/CK1 --accept --reason "Rounded"',
        'provider-file decide production TELE_BIRR --key 2026-11-28/payment/CK2 --assign --merchant abebe --payment order-1 --reason "Asked the provider"',
        'provider-file decide production TELE_BIRR --key 2026-11-28/payment/CK2 --undo --reason "Wrong payment"',
      ],
    },
  ],
  forms: [
    {
      ...{ subject: 'provider_line', path: '/accept', fields: ['reason'] },
      carries: ['seen'],
      ...{ title: 'pages.acceptLine', lead: 'pages.acceptLineLead' },
      preset: ({ key }) => ({ key, decision: 'accept' }),
    },
    {
      ...{ subject: 'provider_line', path: '/not-ours', fields: ['reason'] },
      carries: ['seen'],
      ...{ title: 'pages.lineNotOurs', lead: 'pages.lineNotOursLead' },
      preset: ({ key }) => ({ key, decision: 'not_ours' }),
    },
    {
      ...{ subject: 'provider_line', path: '/assign/:merchantId/:uniqueId', fields: ['reason'] },
      carries: ['seen'],
      ...{ title: 'pages.assignLine', lead: 'pages.assignLineLead' },
      preset: ({ key, merchantId, uniqueId }) => ({
        ...{ key, decision: 'assign', merchantId, uniqueId },
      }),
    },
    {
      ...{ subject: 'provider_line', path: '/undo', fields: ['reason'] },
      carries: ['seen'],
      ...{ title: 'pages.undoLine', lead: 'pages.undoLineLead' },
      preset: ({ key }) => ({ key, decision: 'undo' }),
    },
  ],
};

export const PROVIDER_FILE_ACTIONS = [
  STORE_PROFILE,
  DELETE_PROFILE,
  PREVIEW_FILE,
  BEGIN_FILE,
  UPLOAD_PIECE,
  FINISH_FILE,
  DECIDE_LINE,
];
