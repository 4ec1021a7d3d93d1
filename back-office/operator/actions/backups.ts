import { by, type OperatorAction } from './action.ts';

/** `scripts/operator/backup.ts` repeats it until the backup is finished. */
const BACK_UP_NOW: OperatorAction = {
  path: '/backups',
  answers: 'backup',
  run: by(
    ({ backUpNow }) => backUpNow,
    (content) => ({ message: 'Backed up', content }),
  ),
  fields: {},
  commands: [],
};

export const BACKUP_ACTIONS = [BACK_UP_NOW];
