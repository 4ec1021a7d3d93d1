import { by, type OperatorAction, required } from './action.ts';

/** A part has 8 MB at most, which base64 makes a third longer. */
const PART_BYTES_MAX = 12 * 1024 * 1024;

/** One step of the restore; the command takes them all. */
const RESTORE_GATEWAY: OperatorAction = {
  path: '/restore',
  answers: 'restored_gateway',
  run: async (call, _target, fields) => {
    const { restoreGateway } = await import('../restore.ts');
    return restoreGateway(call, fields);
  },
  fields: {
    run: required('RUN', 'run of the backup, such as 20261127T011700Z'),
    again: {},
    unread: {},
  },
  commands: [],
};

const CLOSE_RESTORE: OperatorAction = {
  path: '/restore/close',
  answers: 'restored_gateway',
  run: async (call, _target, fields) => {
    const { closeRestore } = await import('../restore.ts');
    return closeRestore(call, fields);
  },
  fields: {
    run: required('RUN', 'run of the backup, such as 20261127T011700Z'),
    without: required('CODE', 'the code that the proof gives for all that is missing'),
  },
  commands: [
    {
      name: 'restore close',
      about: 'close a restore without what its proof names as missing, which never comes back then',
      examples: ['restore close --run 20261127T011700Z --without 3f9a01bc'],
    },
  ],
};

/** The command `restore gateway --from DIR` uploads parts. */
const UPLOAD_PART: OperatorAction = {
  path: '/restore/parts',
  answers: 'restored_gateway',
  bodyBytesMax: PART_BYTES_MAX,
  run: by(
    ({ uploadBackupPart }) => uploadBackupPart,
    (content) => ({ message: 'Uploaded', content }),
  ),
  fields: { name: {}, base64: {} },
  commands: [],
};

const RESTORE_PAYMENT: OperatorAction = {
  path: '/payments/:environment/:merchantId/:uniqueId/restore',
  answers: 'restored',
  run: by(
    ({ restorePayment }) => restorePayment,
    (content) => ({ message: 'Restored', content }),
  ),
  fields: { at: required('TIME', 'time of the last 30 days, such as 2026-11-23T20:15Z') },
  commands: [
    {
      name: 'restore payment',
      about: 'set one payment back to a time, if it remembers no money or message since',
      examples: ['restore payment production abebe order-1 --at 2026-11-23T20:15Z'],
    },
  ],
};

export const RESTORE_ACTIONS = [RESTORE_GATEWAY, CLOSE_RESTORE, UPLOAD_PART, RESTORE_PAYMENT];
